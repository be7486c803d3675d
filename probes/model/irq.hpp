// Interrupts: who they belong to and where they are delivered.
#pragma once

#include "base/fields.hpp"

namespace lk {

struct Irq {
  std::int64_t irq = 0;
  std::optional<std::string> chip;
  std::optional<std::string> pci_address;
  std::optional<std::int64_t> vector;
  std::vector<std::string> actions;
  std::optional<CpuSet> affinity;
  std::optional<CpuSet> effective_cpus;
  std::optional<std::int64_t> node;
  std::optional<bool> managed;
  std::optional<bool> fired;

  static constexpr std::string_view kSchema = "Irq";
  template <class Self = Irq>
  static constexpr auto fields() {
    return std::tuple{
        field("irq", &Self::irq, "Linux interrupt number"),
        field("chip", &Self::chip, "proc/interrupts, else sys/kernel/irq/N/chip_name"),
        field("pci_address", &Self::pci_address, "the function whose msi_irqs/ or irq names it"),
        field("vector", &Self::vector,
              "its place among the function's MSI vectors: 0 is the first"),
        field("actions", &Self::actions,
              "handlers; proc/interrupts, else sys/kernel/irq/N/actions"),
        field("affinity", &Self::affinity, "as asked for; proc/irq/N/smp_affinity_list"),
        field("effective_cpus", &Self::effective_cpus, "as programmed; effective_affinity_list"),
        field("node", &Self::node, "proc/irq/N/node"),
        field("managed", &Self::managed,
              "affinity is the kernel's: file mode 0444, or an NVMe I/O "
              "vector; null if it cannot be told"),
        field("fired", &Self::fired, "whether it was ever delivered; proc/interrupts"),
    };
  }
};

}  // namespace lk
