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
  static constexpr auto fields() {
    return std::tuple{
        field("irq", &Irq::irq, "Linux interrupt number"),
        field("chip", &Irq::chip, "sys/kernel/irq/N/chip_name or proc/interrupts"),
        field("pci_address", &Irq::pci_address, "the function whose msi_irqs/ or irq names it"),
        field("vector", &Irq::vector, "its place among the function's MSI vectors: 0 is the first"),
        field("actions", &Irq::actions, "handlers; sys/kernel/irq/N/actions or proc/interrupts"),
        field("affinity", &Irq::affinity, "as asked for; proc/irq/N/smp_affinity_list"),
        field("effective_cpus", &Irq::effective_cpus, "as programmed; effective_affinity_list"),
        field("node", &Irq::node, "proc/irq/N/node"),
        field("managed", &Irq::managed,
              "affinity is the kernel's: file mode 0444, or an NVMe I/O "
              "vector; null if it cannot be told"),
        field("fired", &Irq::fired, "whether it was ever delivered; proc/interrupts"),
    };
  }
};

}  // namespace lk
