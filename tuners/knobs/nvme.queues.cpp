#include "tuners/observe.hpp"

namespace lk {

namespace {

Observation look(const Inventory& inventory, const std::string& target,
                 const NvmeController& drive) {
  if (is_foreign(drive)) return not_applicable(target, *drive.driver + " owns the function");
  if (drive.queues.empty()) {
    auto seen = missing(inventory, target, "nvme.controllers[].queues", hint_of(drive));
    if (find_problem(inventory, "nvme.controllers[].queues") == nullptr) {
      seen = not_applicable(target, "the kernel shows no queues of this controller");
    }
    return seen;
  }
  const auto queues = static_cast<std::int64_t>(drive.queues.size());
  const std::string path = "sys/class/nvme/" + drive.name.value_or("") + "/queue_count";
  std::vector<Evidence> evidence;
  if (drive.queue_count) evidence.push_back({path, std::to_string(*drive.queue_count)});
  auto seen = observed(target, Value{queues}, std::move(evidence));
  if (inventory.cpu.threads) {
    const auto sharing = (*inventory.cpu.threads + queues - 1) / queues;
    seen.detail =
        sharing <= 1 ? "one for each CPU" : "up to " + std::to_string(sharing) + " CPUs share one";
  }
  return seen;
}

std::vector<Observation> observe(const Inventory& inventory) {
  return observe_drives(inventory, look);
}

Remedy remedy(const ObservationGroup&, const Expectation&) {
  return no_remedy(
      "How many queues there are is decided by the drive and its interrupt vectors "
      "when the driver starts.");
}

}  // namespace

extern const Knob kNvmeQueues;
const Knob kNvmeQueues{
    .id = "nvme.queues",
    .title = "I/O queues of the drive",
    .doc = R"(How many I/O queues the driver set up. Fewer than CPUs is normal for many drives; then
several CPUs share a queue and its interrupt.

By hand: `ls /sys/block/nvme0n1/mq`)",
    .why =
        "CPUs that share a queue share its lock and its interrupt. With fewer queues than nodes "
        "some CPUs submit to a queue whose interrupt arrives on another node.",
    .unit = "queues",
    .scope = Scope::nvme,
    .kind = ValueKind::number,
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
