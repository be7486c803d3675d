#include <algorithm>
#include <set>

#include "tuners/observe.hpp"

namespace lk {

namespace {

// Vectors of drives and of storage controllers that user space can move. The first vector of an
// NVMe drive carries no I/O.
std::size_t movable_vectors(const Inventory& inventory) {
  std::set<std::string> nvme;
  std::set<std::string> other;
  for (const auto& drive : inventory.nvme.controllers) {
    if (drive.pci_address) nvme.insert(*drive.pci_address);
  }
  for (const auto& disk : inventory.block) {
    if (disk.pci_address && !nvme.contains(*disk.pci_address)) other.insert(*disk.pci_address);
  }
  const auto movable = [&](const Irq& irq) {
    if (!irq.pci_address || irq.managed != false) return false;
    return other.contains(*irq.pci_address) ||
           (nvme.contains(*irq.pci_address) && irq.vector.value_or(0) > 0);
  };
  return static_cast<std::size_t>(
      std::count_if(inventory.irqs.begin(), inventory.irqs.end(), movable));
}

std::vector<Observation> observe(const Inventory& inventory) {
  const auto balancer =
      std::find_if(inventory.tuners.begin(), inventory.tuners.end(),
                   [](const RivalTuner& tuner) { return tuner.name == "irqbalance"; });
  if (balancer != inventory.tuners.end() && !balancer->active) {
    return {missing(inventory, "host", "tuners[].active", "irqbalance")};
  }
  // Not seen is not absent where the processes could not be looked at.
  if (balancer == inventory.tuners.end() && find_problem(inventory, "tuners") != nullptr) {
    return {unseen(inventory, "host", "tuners")};
  }
  if (balancer == inventory.tuners.end() || !*balancer->active) {
    return {observed("host", "none", {{"proc/*/comm", "no irqbalance"}})};
  }
  const auto movable = movable_vectors(inventory);
  std::vector<Evidence> evidence;
  for (const auto& each : balancer->evidence) evidence.push_back({each, "exists"});
  auto seen = observed("host", std::string(movable == 0 ? "harmless" : "moves"), evidence);
  seen.detail = movable == 0 ? "irqbalance runs; the kernel manages all vectors of the drives"
                             : "irqbalance runs and may move " + std::to_string(movable) +
                                   " vectors of drives or storage controllers";
  return {seen};
}

Remedy remedy(const ObservationGroup&, const Expectation&) {
  return runtime(
      "If these vectors were placed on purpose, ban them in irqbalance's own "
      "configuration (IRQBALANCE_ARGS with --banirq or a policy script), then restart "
      "it. Otherwise leave it: it helps devices whose vectors the kernel does not "
      "manage.",
      "systemctl status irqbalance; cat /etc/default/irqbalance "
      "/etc/sysconfig/irqbalance");
}

}  // namespace

extern const Knob kIrqBalancer;
const Knob kIrqBalancer{
    .id = "irq.balancer",
    .title = "Interrupt balancer",
    .doc = R"(Whether irqbalance can move vectors of drives or storage controllers. Values: `none`
(no balancer runs); `harmless` (it runs, and the kernel manages every such vector, so that it cannot
move them); `moves` (some can be moved every ten seconds, also those that somebody pinned).

By hand: `systemctl status irqbalance; grep nvme /proc/interrupts`)",
    .why =
        "irqbalance looks at every movable vector each ten seconds and places it by its own "
        "rules: what an administrator pinned does not stay (irqbalance#297).",
    .words = {"none", "harmless", "moves"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
