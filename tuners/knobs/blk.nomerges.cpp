#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  return observe_queues(inventory, "nomerges", number(&BlockQueue::nomerges));
}

Remedy remedy(const ObservationGroup& group, const Expectation& wanted) {
  return runtime(
      "As root, one drive after the other: a write freezes the drive's queue until its "
      "I/O is done. A udev rule keeps it over the next boot.",
      write_command(group, wanted_number(wanted)));
}

}  // namespace

extern const Knob kBlkNomerges;
const Knob kBlkNomerges{
    .id = "blk.nomerges",
    .title = "Request merging",
    .doc =
        R"(Whether the block layer tries to merge requests (`sys/block/<disk>/queue/nomerges`): 0 tries, 1 only
the cheap way, 2 never.

By hand: `cat /sys/block/nvme0n1/queue/nomerges`)",
    .why =
        "Looking for a merge costs CPU for each request and finds none in random I/O; with small "
        "sequential or buffered I/O merging helps. The ScyllaDB tuner sets 2.",
    .scope = Scope::block,
    .risk = Risk::disruptive,
    .io_stall = true,
    .kind = ValueKind::number,
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
