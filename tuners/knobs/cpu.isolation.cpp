#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  const auto& isolated = inventory.cpu.isolated;
  if (!isolated) return {missing(inventory, "host", "cpu.isolated")};
  const CpuSet full = inventory.cpu.nohz_full.value_or(CpuSet{});
  const CpuSet all = *isolated | full;
  auto seen = observed("host", std::string(all.empty() ? "none" : "isolated"),
                       {{"sys/devices/system/cpu/isolated", isolated->to_list()}});
  if (!all.empty()) seen.detail = "CPUs " + all.to_list();
  return {seen};
}

Remedy remedy(const ObservationGroup&, const Expectation&) {
  return boot("isolcpus= and nohz_full= are set on the kernel command line.");
}

}  // namespace

extern const Knob kCpuIsolation;
const Knob kCpuIsolation{
    .id = "cpu.isolation",
    .title = "Isolated CPUs",
    .doc = R"(Which CPUs the kernel keeps free of ordinary work: `isolcpus=`
(`sys/devices/system/cpu/isolated`) and `nohz_full=`. Values: `none`, `isolated`.

By hand: `cat /sys/devices/system/cpu/{isolated,nohz_full}`)",
    .why =
        "Isolated CPUs get no work from the scheduler, but submit I/O if something is pinned "
        "there; their NVMe queues then lack kernel workers on that CPU.",
    .words = {"none", "isolated"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
