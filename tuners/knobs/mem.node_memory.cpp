#include <algorithm>

#include "tuners/observe.hpp"

namespace lk {

namespace {

Observation look(const Inventory& inventory, const NumaNode& node, std::int64_t largest) {
  const auto number = std::to_string(node.id);
  const auto target = target_of(Scope::node, number);
  if (!node.cpus) return missing(inventory, target, "numa.nodes[].cpus", "node" + number + "/");
  if (!node.memory_bytes) {
    return missing(inventory, target, "numa.nodes[].memory_bytes", "node" + number + "/");
  }
  const bool uneven = *node.memory_bytes < largest / 4 * 3;
  auto seen = observed(target,
                       std::string(*node.memory_bytes == 0 ? "none"
                                   : uneven                ? "uneven"
                                                           : "ok"),
                       {{"sys/devices/system/node/node" + number + "/meminfo",
                         std::to_string(*node.memory_bytes) + " bytes"}});
  if (*node.memory_bytes > 0 && uneven) seen.at_most = Severity::info;
  seen.traits = cpu_traits(inventory);
  seen.traits.drive_local = node.cpus->intersects(drive_local_cpus(inventory));
  return seen;
}

std::vector<Observation> observe(const Inventory& inventory) {
  std::int64_t largest = 0;
  for (const auto& node : inventory.numa.nodes) {
    if (node.cpus && !node.cpus->empty())
      largest = std::max(largest, node.memory_bytes.value_or(0));
  }
  std::vector<Observation> all;
  for (const auto& node : inventory.numa.nodes) {
    if (node.cpus && node.cpus->empty()) continue;  // a memory-only node is what it is
    all.push_back(look(inventory, node, largest));
  }
  if (!all.empty()) return all;
  return nothing(inventory, "numa.nodes", "the kernel shows no NUMA nodes");
}

Remedy remedy(const ObservationGroup&, const Expectation&) {
  auto remedy = firmware(
      "Fill the memory channels of this node as the server's manual says; with "
      "too few DIMMs turn sub-NUMA clustering off.");
  remedy.command = "numactl --hardware; dmidecode -t memory";
  return remedy;
}

}  // namespace

extern const Knob kMemNodeMemory;
const Knob kMemNodeMemory{
    .id = "mem.node_memory",
    .title = "Memory of each node",
    .doc =
        R"(Whether each node with CPUs has memory of its own. Values: `ok`; `none` (CPUs and no memory: empty
DIMM slots, or sub-NUMA clustering with too few DIMMs); `uneven` (less than three quarters of the
largest node, which is never worse than an information).

By hand: `numactl --hardware`)",
    .why =
        "A node without memory takes all of it from other nodes, so that every queue and buffer of "
        "its CPUs is remote.",
    .scope = Scope::node,
    .words = {"ok", "none", "uneven"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
