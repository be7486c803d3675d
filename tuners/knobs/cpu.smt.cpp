#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  const auto& smt = inventory.cpu.smt;
  if (!smt) return {missing(inventory, "host", "cpu.smt")};
  auto seen = observed("host", *smt, {{"sys/devices/system/cpu/smt/control", *smt}});
  seen.traits = cpu_traits(inventory);
  return {seen};
}

Remedy remedy(const ObservationGroup&, const Expectation&) {
  return firmware(
      "Set it in the firmware setup (Logical Processor, Hyper-Threading, SMT), or boot "
      "with nosmt.");
}

}  // namespace

extern const Knob kCpuSmt;
const Knob kCpuSmt{
    .id = "cpu.smt",
    .title = "Simultaneous multithreading",
    .doc =
        R"(Whether each core runs several threads (`sys/devices/system/cpu/smt/control`): `on`, `off`,
`forceoff`, `notsupported`, `notimplemented`.

By hand: `cat /sys/devices/system/cpu/smt/control`)",
    .why =
        "Two threads of a core share its caches and units. The published Dell R770 tests keep it "
        "on for more I/O threads. Turning it off at run time re-plans every NVMe queue.",
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
