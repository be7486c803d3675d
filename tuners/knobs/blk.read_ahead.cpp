#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  return observe_queues(inventory, "read_ahead_kb", number(&BlockQueue::read_ahead_kb));
}

Remedy remedy(const ObservationGroup& group, const Expectation& wanted) {
  return runtime(
      "As root, one drive after the other: a write freezes the drive's queue until its "
      "I/O is done. A udev rule keeps it over the next boot.",
      write_command(group, wanted_number(wanted)));
}

}  // namespace

extern const Knob kBlkReadAhead;
const Knob kBlkReadAhead{
    .id = "blk.read_ahead",
    .title = "Read-ahead",
    .doc = R"(How far the kernel reads ahead of buffered sequential reads, in KiB
(`sys/block/<disk>/queue/read_ahead_kb`). Direct I/O does not use it. On kernels from 6.12 on, any
change of another queue limit raises it to 128 at least.

By hand: `cat /sys/block/nvme0n1/queue/read_ahead_kb`)",
    .why =
        "Tuners disagree: tuned raises it to 4096 for throughput, its profile for Spectrum Scale "
        "sets 0. Only the load can tell.",
    .unit = "KiB",
    .scope = Scope::block,
    .risk = Risk::disruptive,
    .io_stall = true,
    .kind = ValueKind::number,
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
