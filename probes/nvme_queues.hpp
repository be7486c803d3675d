// I/O queues of a controller, the CPUs that submit to them and where their interrupts arrive.
// kernel.md 2.4 and 7. Nothing is written to find out.
#pragma once

#include "probes/nvme_namespaces.hpp"
#include "probes/probe.hpp"

namespace lk {

// Interrupts by handler ("nvme0q1") and by PCI function and vector. Refers to inventory.irqs.
class IrqIndex {
 public:
  explicit IrqIndex(const std::vector<Irq>& irqs);
  const Irq* find(const std::string& action) const;
  const Irq* find(const std::string& pci_address, std::int64_t vector) const;

 private:
  std::map<std::string, const Irq*> by_action_;
  std::map<std::pair<std::string, std::int64_t>, const Irq*> by_vector_;
};

// From mq/ of the first of `disks` that has one; from the interrupts alone where none has.
std::vector<NvmeQueue> read_queues(ProbeContext& context, const NvmeController& controller,
                                   const std::vector<NvmeDisk>& disks, const IrqIndex& irqs);

// Fills what the interrupt tells: irq, affinity, effective CPUs, managed, local. `irq` may be null.
void take_interrupt(ProbeContext& context, NvmeQueue& queue, const Irq* irq);

}  // namespace lk
