#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  const auto& thp = inventory.kernel.thp;
  if (!thp) return {missing(inventory, "host", "kernel.thp")};
  return {observed("host", *thp, {{"sys/kernel/mm/transparent_hugepage/enabled", *thp}})};
}

Remedy remedy(const ObservationGroup& group, const Expectation& wanted) {
  return runtime("As root; it holds until the next boot.",
                 write_command(group, choice(group, wanted)));
}

}  // namespace

extern const Knob kMemThp;
const Knob kMemThp{
    .id = "mem.thp",
    .title = "Transparent huge pages",
    .doc = R"(When the kernel backs memory with huge pages by itself
(`sys/kernel/mm/transparent_hugepage/enabled`): `always`, `madvise` (where a program asks), `never`.

By hand: `cat /sys/kernel/mm/transparent_hugepage/enabled`)",
    .why =
        "Huge pages save TLB misses in large buffers; making them can stall a program. Tuners "
        "disagree: Redpanda sets always, database profiles never, SAP moved from never to madvise.",
    .risk = Risk::safe,
    .words = {"always", "madvise", "never"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
