#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  return observe_queues(inventory, "rq_affinity", number(&BlockQueue::rq_affinity));
}

Remedy remedy(const ObservationGroup& group, const Expectation& wanted) {
  return runtime(
      "As root, one drive after the other: a write freezes the drive's queue until its "
      "I/O is done. A udev rule keeps it over the next boot.",
      write_command(group, wanted_number(wanted)));
}

}  // namespace

extern const Knob kBlkRqAffinity;
const Knob kBlkRqAffinity{
    .id = "blk.rq_affinity",
    .title = "Where completions run",
    .doc =
        R"(On which CPU a request is completed (`sys/block/<disk>/queue/rq_affinity`): 0 where the interrupt
arrived, 1 on a CPU that shares a cache with the submitter, 2 on the submitter itself. With
sub-NUMA clustering 1 already stays inside the cluster.

By hand: `cat /sys/block/nvme0n1/queue/rq_affinity`)",
    .why =
        "2 spreads completion work to the submitting CPUs and costs an inter-processor interrupt "
        "where the interrupt arrives elsewhere; with one queue for each CPU it changes nothing.",
    .scope = Scope::block,
    .risk = Risk::disruptive,
    .io_stall = true,
    .kind = ValueKind::number,
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
