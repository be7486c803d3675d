#include <algorithm>

#include "tuners/observe.hpp"

namespace lk {

namespace {

const Irq* irq_of(const Inventory& inventory, const NvmeQueue& queue) {
  if (!queue.irq) return nullptr;
  const auto found = std::find_if(inventory.irqs.begin(), inventory.irqs.end(),
                                  [&](const Irq& irq) { return irq.irq == *queue.irq; });
  return found == inventory.irqs.end() ? nullptr : &*found;
}

// ADR 0007: no interrupt, no delivery to judge. Anything else that is missing stays unknown.
Observation undecided(const Inventory& inventory, const std::string& target,
                      const NvmeQueue& queue) {
  if (!queue.irq) {
    // Which interrupts there are is told by proc/interrupts; without it nothing is known of any.
    const Problem* problem = find_problem(inventory, "irqs[].fired");
    const bool unread = problem != nullptr && problem->path == "proc/interrupts";
    if (inventory.irqs.empty() || unread) {
      return unseen(inventory, target, inventory.irqs.empty() ? "irqs" : "irqs[].fired");
    }
    return not_applicable(target, "the queue has no interrupt of its own");
  }
  if (queue.cpus && inventory.cpu.online && !queue.cpus->intersects(*inventory.cpu.online)) {
    return not_applicable(target, "all CPUs of this queue are offline, its interrupt is shut down");
  }
  const Irq* irq = irq_of(inventory, queue);
  if (irq != nullptr && irq->chip == "VMD-MSI") {
    return not_applicable(target, "VMD delivers this interrupt through vectors of its own");
  }
  if (irq != nullptr && irq->fired == false) {
    return not_applicable(target, "no interrupt was delivered for this queue yet");
  }
  auto seen = missing(inventory, target, "nvme.controllers[].queues[].local");
  seen.no_value = Verdict::unknown;
  return seen;
}

Observation look(const Inventory& inventory, const NvmeController& drive, const NvmeQueue& queue) {
  const auto target = target_of(Scope::irq, drive.id) + "/" + std::to_string(queue.queue);
  if (!queue.local) return undecided(inventory, target, queue);
  const auto number = std::to_string(queue.irq.value_or(-1));
  auto seen = observed(target, std::string(*queue.local ? "local" : "remote"),
                       {{"proc/irq/" + number + "/effective_affinity_list",
                         queue.effective_cpus ? queue.effective_cpus->to_list() : ""}});
  if (!*queue.local) {
    seen.detail = "delivered to CPU " + seen.evidence.front().raw + ", submitted by " +
                  (queue.cpus ? queue.cpus->to_list() : "?");
    if (queue.managed == true) {
      seen.locked = "the kernel manages this interrupt; user space cannot move it";
    }
  }
  return seen;
}

std::vector<Observation> observe(const Inventory& inventory) {
  // A large host has 10,000 queues.
  std::size_t queues = 0;
  for (const auto& drive : inventory.nvme.controllers) queues += drive.queues.size();
  std::vector<Observation> all;
  all.reserve(queues);
  for (const auto& drive : inventory.nvme.controllers) {
    const auto name = drive_name(drive);
    const auto traits = drive_traits(drive);
    for (const auto& queue : drive.queues) {
      auto& seen = all.emplace_back(look(inventory, drive, queue));
      seen.name = name;
      seen.traits = traits;
    }
  }
  if (!all.empty()) return all;
  return nothing(inventory, "nvme.controllers[].queues", "the host has no NVMe I/O queues");
}

Remedy remedy(const ObservationGroup& group, const Expectation&) {
  auto remedy = boot(
      "A managed interrupt follows the CPUs of its queue by itself; where it does not, the driver "
      "has too few vectors or runs with threaded interrupts. Look for isolcpus=, threadirqs, "
      "irqaffinity= and nvme parameters on the kernel command line, and for CPUs that are "
      "offline.");
  const auto& path = group.front()->evidence.front().path;
  remedy.command = "cat /proc/cmdline /sys/devices/system/cpu/offline /" + path;
  return remedy;
}

}  // namespace

extern const Knob kIrqQueueLocal;
const Knob kIrqQueueLocal{
    .id = "irq.queue_local",
    .title = "Interrupts of I/O queues",
    .doc = R"(Whether each I/O queue's interrupt is delivered to one of the CPUs that submit to that
queue: `proc/irq/<n>/effective_affinity_list` against the directories `sys/block/<disk>/mq/<n>/cpu*`.
Values: `local`, `remote`. Nothing is expected about the drive's node. A queue whose interrupt was
never delivered has nothing to judge yet (not applicable); poll queues have no interrupt.

NVMe I/O vectors are managed by the kernel, which spreads them by itself: that is right and no
failure. Nothing is written to find out.

By hand: `grep . /proc/irq/*/effective_affinity_list`)",
    .why =
        "A completion on a CPU that does not submit costs an inter-processor interrupt and cold "
        "caches for every I/O.",
    .scope = Scope::irq,
    .words = {"local", "remote"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
