#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  auto all = observe_queues(inventory, "nr_requests", number(&BlockQueue::nr_requests));
  const auto targets = queue_targets(inventory);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto* queue = targets[i].queue;
    if (queue == nullptr || queue->scheduler != "none" || !queue->hardware_tags) continue;
    all[i].references["tags"] = *queue->hardware_tags;
    all[i].evidence.push_back(
        {"sys/block/" + queue->device + "/mq/0/nr_tags", std::to_string(*queue->hardware_tags)});
  }
  return all;
}

Remedy remedy(const ObservationGroup& group, const Expectation& wanted) {
  const auto& first = *group.front();
  const auto tags = first.references.find("tags");
  const auto limit = wanted_number(wanted);
  const auto value =
      limit.empty() && tags != first.references.end() ? std::to_string(tags->second) : limit;
  return runtime(
      "As root, one drive after the other: a write freezes the drive's queue until its "
      "I/O is done.",
      write_command(group, value));
}

}  // namespace

extern const Knob kBlkNrRequests;
const Knob kBlkNrRequests{
    .id = "blk.nr_requests",
    .title = "Requests in a queue",
    .doc = R"(How many requests the block layer holds for each hardware queue
(`sys/block/<disk>/queue/nr_requests`). With the scheduler `none` it is limited by the hardware's tags
(`mq/0/nr_tags`), which an expectation can name: `<= tags`. With another scheduler there is no
such limit.

By hand: `cat /sys/block/nvme0n1/queue/{nr_requests,scheduler} /sys/block/nvme0n1/mq/0/nr_tags`)",
    .why =
        "More requests than the hardware has tags cannot be in flight: the number is left over "
        "from another scheduler or another driver setting, and whoever reads it as the queue depth "
        "is misled.",
    .scope = Scope::block,
    .risk = Risk::disruptive,
    .io_stall = true,
    .kind = ValueKind::number,
    .references = {"tags"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
