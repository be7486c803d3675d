#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  return observe_sysctl(inventory, "vm.swappiness");
}

Remedy remedy(const ObservationGroup&, const Expectation& wanted) {
  return sysctl_remedy("vm.swappiness", wanted);
}

}  // namespace

extern const Knob kMemSwappiness;
const Knob kMemSwappiness{
    .id = "mem.swappiness",
    .title = "Swappiness",
    .doc = R"(How readily the kernel swaps out anonymous memory instead of dropping page cache
(`proc/sys/vm/swappiness`, 0 to 200, 60 by default).

By hand: `sysctl vm.swappiness`)",
    .why =
        "A storage service that reads with O_DIRECT fills no page cache of worth; its own "
        "memory swapped out costs stalls. tuned's throughput-performance profile sets 10.",
    .risk = Risk::safe,
    .kind = ValueKind::number,
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
