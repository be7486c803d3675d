#include "probes/nvme_queues.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace lk {

namespace {

constexpr const char* kField = "nvme.controllers[].queues[]";

std::string field(const char* name) {
  return std::string(kField) + "." + name;
}

// The submission map: one subdirectory for each CPU. cpu_list leaves isolated CPUs out, so it only
// serves captures without the subdirectories. CPUs that cannot exist here are left out.
std::optional<CpuSet> submitters(ProbeContext& context, const std::string& directory) {
  CpuSet cpus;
  if (const auto entries = context.root.list(directory)) {
    for (const auto& entry : *entries) {
      if (!entry.starts_with("cpu")) continue;
      const auto number = parse_int(std::string_view(entry).substr(3));
      if (number && *number >= 0 && *number < std::int64_t{CpuSet::kMost}) {
        cpus.add(static_cast<unsigned>(*number));
      }
    }
  }
  if (cpus.empty()) {
    auto list = context.cpu_list(field("cpus"), directory + "/cpu_list");
    if (!list) return std::nullopt;
    cpus = *std::move(list);
  }
  if (context.inventory.cpu.present) cpus &= *context.inventory.cpu.present;
  return cpus;
}

std::vector<std::int64_t> hardware_queues(const Root& root, const std::string& directory) {
  std::vector<std::int64_t> numbers;
  if (const auto entries = root.list(directory + "/mq")) {
    for (const auto& entry : *entries) {
      if (const auto number = parse_int(entry)) numbers.push_back(*number);
    }
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

const Irq* irq_of(const NvmeController& controller, std::int64_t queue, const IrqIndex& irqs) {
  if (controller.name) {
    if (const auto* irq = irqs.find(*controller.name + "q" + std::to_string(queue))) return irq;
  }
  if (!controller.pci_address) return nullptr;
  const auto* irq = irqs.find(*controller.pci_address, queue);
  // A vector whose handlers are known and carry other names belongs to another queue.
  return irq && irq->actions.empty() ? irq : nullptr;
}

std::optional<bool> locality(ProbeContext& context, const NvmeQueue& queue, const Irq& irq) {
  if (!irq.fired || !*irq.fired) {
    context.missing(field("local"), irq.fired ? Cause::not_applicable : Cause::absent,
                    irq.fired ? "its interrupt was never delivered"
                              : "it is not known whether its interrupt was ever delivered");
    return std::nullopt;
  }
  if (!queue.cpus || !queue.effective_cpus || queue.effective_cpus->empty()) {
    context.missing(field("local"), Cause::absent,
                    "where its interrupt is delivered or who submits to it is not known");
    return std::nullopt;
  }
  return queue.effective_cpus->is_subset_of(*queue.cpus);
}

void no_interrupt(ProbeContext& context, Cause cause, const std::string& why) {
  for (const char* each : {"irq", "affinity", "effective_cpus", "managed", "local"}) {
    context.missing(field(each), cause, why);
  }
}

// Without a disk there is no mq/; the handlers still say which queues there are.
std::vector<NvmeQueue> from_interrupts(ProbeContext& context, const NvmeController& controller,
                                       const IrqIndex& irqs) {
  std::vector<NvmeQueue> queues;
  const auto most = controller.queue_count.value_or(0);
  for (std::int64_t number = 1; number < most; ++number) {
    const auto* irq = irq_of(controller, number, irqs);
    if (!irq) continue;
    NvmeQueue queue;
    queue.queue = number;
    context.missing(field("cpus"), Cause::absent, "the controller has no disk to show its queues");
    take_interrupt(context, queue, irq);
    queues.push_back(std::move(queue));
  }
  return queues;
}

}  // namespace

IrqIndex::IrqIndex(const std::vector<Irq>& irqs) {
  for (const auto& irq : irqs) {
    for (const auto& action : irq.actions) by_action_.emplace(action, &irq);
    if (irq.pci_address && irq.vector)
      by_vector_.emplace(std::pair{*irq.pci_address, *irq.vector}, &irq);
  }
}

const Irq* IrqIndex::find(const std::string& action) const {
  const auto found = by_action_.find(action);
  return found == by_action_.end() ? nullptr : found->second;
}

const Irq* IrqIndex::find(const std::string& pci_address, std::int64_t vector) const {
  const auto found = by_vector_.find({pci_address, vector});
  return found == by_vector_.end() ? nullptr : found->second;
}

void take_interrupt(ProbeContext& context, NvmeQueue& queue, const Irq* irq) {
  if (!irq) {
    no_interrupt(context, Cause::absent, "no interrupt of this queue was found");
    return;
  }
  queue.irq = irq->irq;
  queue.managed = irq->managed;
  if (!irq->managed) {
    context.missing(field("managed"), Cause::absent, "the kernel does not tell; see irqs[]");
  }
  if (irq->chip == "VMD-MSI") {
    // VMD delivers all its drives' interrupts through vectors of its own: what the drive's says
    // about CPUs is not what happens.
    for (const char* each : {"affinity", "effective_cpus", "local"}) {
      context.missing(field(each), Cause::not_applicable,
                      "VMD remaps this interrupt; its affinity is not the drive's");
    }
    return;
  }
  queue.affinity = irq->affinity;
  queue.effective_cpus = irq->effective_cpus;
  if (!irq->affinity) context.missing(field("affinity"), Cause::absent, "see irqs[].affinity");
  if (!irq->effective_cpus) {
    context.missing(field("effective_cpus"), Cause::absent, "see irqs[].effective_cpus");
  }
  queue.local = locality(context, queue, *irq);
}

std::vector<NvmeQueue> read_queues(ProbeContext& context, const NvmeController& controller,
                                   const std::vector<NvmeDisk>& disks, const IrqIndex& irqs) {
  for (const auto& disk : disks) {
    if (!context.enter("block:" + disk.name, "nvme.controllers[].queues")) continue;
    const auto numbers = hardware_queues(context.root, disk.directory);
    if (numbers.empty()) continue;
    const bool polls = context.optional_text("nvme.controllers[].queues",
                                             disk.directory + "/queue/io_poll") == "1";
    std::vector<NvmeQueue> queues;
    for (const auto number : numbers) {
      NvmeQueue queue;
      queue.queue = number + 1;
      queue.cpus = submitters(context, disk.directory + "/mq/" + std::to_string(number));
      const auto* irq = irq_of(controller, queue.queue, irqs);
      if (!irq && polls) {
        no_interrupt(context, Cause::not_applicable, "a poll queue has no interrupt");
      } else {
        take_interrupt(context, queue, irq);
      }
      queues.push_back(std::move(queue));
    }
    return queues;
  }
  return from_interrupts(context, controller, irqs);
}

}  // namespace lk
