#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  if (inventory.cpu.enumeration == Enumeration::unknown) {
    return {not_applicable("host", "one node, or too few CPUs to tell an order")};
  }
  auto seen = observed("host", std::string(name_of(inventory.cpu.enumeration)), {});
  for (const auto& node : inventory.numa.nodes) {
    if (!node.cpus) continue;
    seen.evidence.push_back({"sys/devices/system/node/node" + std::to_string(node.id) + "/cpulist",
                             node.cpus->to_list()});
  }
  seen.traits = cpu_traits(inventory);
  return {seen};
}

Remedy remedy(const ObservationGroup&, const Expectation&) {
  return firmware(
      "Pin by the CPU list of the node and leave the firmware alone; or set the MADT "
      "core enumeration there (Dell: MADT Core Enumeration).");
}

}  // namespace

extern const Knob kCpuEnumeration;
const Knob kCpuEnumeration{
    .id = "cpu.enumeration",
    .title = "Order of CPU numbers",
    .doc =
        R"(How CPU numbers run over the nodes: `linear` (node 0 first), `round_robin`, `mixed`, `unknown`. The
firmware's MADT decides it.

By hand: `lscpu -e=CPU,NODE`)",
    .why =
        "It matters to tools that pin by number ranges only (the published Dell R770 tests gained "
        "58 % from linear that way); pinning by a node's CPU list is immune.",
    .words = {"linear", "round_robin", "mixed"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
