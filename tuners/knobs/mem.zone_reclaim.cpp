#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  return observe_sysctl(inventory, "vm.zone_reclaim_mode");
}

Remedy remedy(const ObservationGroup&, const Expectation& wanted) {
  return sysctl_remedy("vm.zone_reclaim_mode", wanted);
}

}  // namespace

extern const Knob kMemZoneReclaim;
const Knob kMemZoneReclaim{
    .id = "mem.zone_reclaim",
    .title = "Zone reclaim",
    .doc =
        R"(Whether a node that is short of memory frees its own pages before it takes memory from another
node (`proc/sys/vm/zone_reclaim_mode`, a bit mask; 0 is off and the default). Kernels without NUMA
do not have it.

By hand: `sysctl vm.zone_reclaim_mode`)",
    .why =
        "On, it drops page cache and stalls allocations on one node while others have free memory; "
        "the kernel documentation advises 0 for file servers.",
    .risk = Risk::safe,
    .kind = ValueKind::number,
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
