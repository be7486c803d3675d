#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  return observe_sysctl(inventory, "kernel.numa_balancing");
}

Remedy remedy(const ObservationGroup&, const Expectation& wanted) {
  return sysctl_remedy("kernel.numa_balancing", wanted);
}

}  // namespace

extern const Knob kMemNumaBalancing;
const Knob kMemNumaBalancing{
    .id = "mem.numa_balancing",
    .title = "Automatic NUMA balancing",
    .doc = R"(Whether the kernel samples memory accesses to move pages and tasks together
(`proc/sys/kernel/numa_balancing`, a bit mask; 1 balances, 2 tiers memory, 0 is off).

By hand: `sysctl kernel.numa_balancing`)",
    .why =
        "Its sampling costs page faults, which a service that is pinned to its node does not need. "
        "Turning it off for all cost up to 20 % on AMD hosts, which made tuned take it back "
        "(f511ad5).",
    .risk = Risk::safe,
    .kind = ValueKind::number,
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
