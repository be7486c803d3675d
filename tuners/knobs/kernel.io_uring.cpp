#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  const std::string name = "kernel.io_uring_disabled";
  auto all = observe_sysctl(inventory, name);
  auto& seen = all.front();
  if (!seen.value) return all;
  const auto level = std::get<std::int64_t>(*seen.value);
  seen.value = Value{level == 0 ? "on" : level == 1 ? "restricted" : "off"};
  return all;
}

Remedy remedy(const ObservationGroup&, const Expectation&) {
  return no_remedy("Leave the hardening as it is; the benchmark can use libaio instead.");
}

}  // namespace

extern const Knob kKernelIoUring;
const Knob kKernelIoUring{
    .id = "kernel.io_uring",
    .title = "io_uring",
    .doc =
        R"(Who may use io_uring (`proc/sys/kernel/io_uring_disabled`, in kernels from 6.6 on): `on` (0, all),
`restricted` (1, privileged users and one group), `off` (2). Older kernels have no such switch.

By hand: `sysctl kernel.io_uring_disabled`)",
    .why =
        "The benchmark prefers io_uring and says which engine it used. The switch is a hardening "
        "setting; weakening it is not advised.",
    .words = {"on", "restricted", "off"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
