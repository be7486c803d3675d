#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  return observe_queues(inventory, "io_poll", flag(&BlockQueue::io_poll));
}

Remedy remedy(const ObservationGroup&, const Expectation&) {
  return boot(
      "Boot with nvme.poll_queues=<number> (or without, to have none). Do not set the "
      "parameter and reset a live controller.");
}

}  // namespace

extern const Knob kBlkPoll;
const Knob kBlkPoll{
    .id = "blk.poll",
    .title = "Poll queues",
    .doc = R"(Whether the drive has queues that are polled instead of interrupting
(`sys/block/<disk>/queue/io_poll`). Values: `on`, `off`. They are made when the driver starts:
`nvme.poll_queues=N` on the kernel command line.

By hand: `cat /sys/block/nvme0n1/queue/io_poll`)",
    .why =
        "Polled I/O (IORING_SETUP_IOPOLL) needs them: without, kernel 6.1 silently uses interrupts "
        "and later kernels refuse each request.",
    .scope = Scope::block,
    .words = {"on", "off"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
