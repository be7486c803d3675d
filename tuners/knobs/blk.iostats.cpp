#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  return observe_queues(inventory, "iostats", flag(&BlockQueue::iostats));
}

Remedy remedy(const ObservationGroup&, const Expectation&) {
  return no_remedy(
      "Leave it on: monitoring and every comparison before and after read these counters.");
}

}  // namespace

extern const Knob kBlkIostats;
const Knob kBlkIostats{
    .id = "blk.iostats",
    .title = "I/O accounting",
    .doc =
        R"(Whether the kernel counts I/O of the disk (`sys/block/<disk>/queue/iostats`). Values: `on`, `off`.

By hand: `cat /sys/block/nvme0n1/queue/iostats`)",
    .why =
        "Accounting costs two time stamps for each request; without it no tool sees what the drive "
        "does.",
    .scope = Scope::block,
    .words = {"on", "off"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
