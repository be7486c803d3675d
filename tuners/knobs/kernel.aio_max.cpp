#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  return observe_sysctl(inventory, "fs.aio-max-nr");
}

Remedy remedy(const ObservationGroup&, const Expectation& wanted) {
  return sysctl_remedy("fs.aio-max-nr", wanted);
}

}  // namespace

extern const Knob kKernelAioMax;
const Knob kKernelAioMax{
    .id = "kernel.aio_max",
    .title = "Limit of asynchronous I/O requests",
    .doc =
        R"(How many requests all users of libaio together may reserve (`proc/sys/fs/aio-max-nr`, 65536 by
default; `proc/sys/fs/aio-nr` is what is reserved). io_uring does not count here.

By hand: `sysctl fs.aio-max-nr fs.aio-nr`)",
    .why =
        "io_setup fails with EAGAIN above it: 128 jobs at queue depth 512 need 65536. Databases "
        "ask for 1048576 (Oracle, Redpanda).",
    .risk = Risk::safe,
    .kind = ValueKind::number,
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
