#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  return observe_queues(inventory, "wbt_lat_usec", number(&BlockQueue::wbt_lat_usec));
}

Remedy remedy(const ObservationGroup& group, const Expectation& wanted) {
  return runtime(
      "As root, one drive after the other: a write freezes the drive's queue until its "
      "I/O is done. A udev rule keeps it over the next boot.",
      write_command(group, wanted_number(wanted)));
}

}  // namespace

extern const Knob kBlkWbt;
const Knob kBlkWbt{
    .id = "blk.wbt",
    .title = "Write-back throttling",
    .doc = R"(The latency target of write-back throttling in microseconds
(`sys/block/<disk>/queue/wbt_lat_usec`), 0 for off, 2000 by default on solid-state drives. Reading
fails where it was never set up, which is not applicable.

By hand: `cat /sys/block/nvme0n1/queue/wbt_lat_usec`)",
    .why =
        "It holds back buffered writes to keep reads fast. On a dedicated drive with direct I/O it "
        "has nothing to do but its accounting; on a boot drive it keeps the host responsive.",
    .unit = "us",
    .scope = Scope::block,
    .risk = Risk::disruptive,
    .io_stall = true,
    .kind = ValueKind::number,
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
