#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  auto all = observe_queues(inventory, "max_sectors_kb", number(&BlockQueue::max_sectors_kb));
  const auto targets = queue_targets(inventory);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto* queue = targets[i].queue;
    if (queue == nullptr || !queue->max_hw_sectors_kb) continue;
    all[i].references["hardware"] = *queue->max_hw_sectors_kb;
    all[i].evidence.push_back({"sys/block/" + queue->device + "/queue/max_hw_sectors_kb",
                               std::to_string(*queue->max_hw_sectors_kb)});
  }
  return all;
}

Remedy remedy(const ObservationGroup& group, const Expectation& wanted) {
  return runtime(
      "As root, one drive after the other: a write freezes the drive's queue until its "
      "I/O is done. A udev rule keeps it over the next boot.",
      write_command(group, wanted_number(wanted)));
}

}  // namespace

extern const Knob kBlkMaxSectors;
const Knob kBlkMaxSectors{
    .id = "blk.max_sectors",
    .title = "Largest request",
    .doc = R"(The largest request that the block layer sends, in KiB
(`sys/block/<disk>/queue/max_sectors_kb`). An expectation can name the hardware's limit
(`max_hw_sectors_kb`): `<= hardware`.

By hand: `cat /sys/block/nvme0n1/queue/max_{hw_,}sectors_kb`

Writing an old effective value back leaves a sticky cap behind.)",
    .why = "Large sequential I/O is split at this size; small random I/O never meets it.",
    .unit = "KiB",
    .scope = Scope::block,
    .risk = Risk::disruptive,
    .io_stall = true,
    .kind = ValueKind::number,
    .references = {"hardware"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
