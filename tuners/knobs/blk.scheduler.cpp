#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  auto all = observe_queues(inventory, "scheduler", word(&BlockQueue::scheduler));
  const auto targets = queue_targets(inventory);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (targets[i].queue != nullptr) all[i].offered = targets[i].queue->schedulers;
  }
  return all;
}

Remedy remedy(const ObservationGroup& group, const Expectation& wanted) {
  const auto scheduler = choice(group, wanted);
  if (scheduler.empty()) return no_remedy("The queue offers none of " + wanted.text + ".");
  return runtime(
      "As root, one drive after the other: a write freezes the drive's queue until its "
      "I/O is done. A udev rule keeps it over the next boot.",
      write_command(group, scheduler));
}

}  // namespace

extern const Knob kBlkScheduler;
const Knob kBlkScheduler{
    .id = "blk.scheduler",
    .title = "I/O scheduler of the drive",
    .doc =
        R"(The scheduler between the block layer and the drive (`sys/block/<disk>/queue/scheduler`): `none`,
`mq-deadline`, `kyber`, `bfq`. A multipath head has none; the path below it is judged.

By hand: `cat /sys/block/nvme0n1/queue/scheduler`

Changing it freezes the queue and resets nr_requests.)",
    .why =
        "A scheduler takes a lock and reorders requests that the drive orders better itself; with "
        "none each CPU submits to its own queue. Distributions ship none for NVMe; tuned and the "
        "ScyllaDB and Redpanda tuners set it.",
    .scope = Scope::block,
    .risk = Risk::disruptive,
    .io_stall = true,
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
