#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  return observe_sysctl(inventory, "vm.swappiness");
}

Remedy remedy(const ObservationGroup&, const Expectation& wanted) {
  const auto value = wanted.values.empty() ? "10" : to_text(wanted.values.front());
  return runtime("As root; it holds until the next boot, a file in /etc/sysctl.d keeps it.",
                 "sysctl -w vm.swappiness=" + value);
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
