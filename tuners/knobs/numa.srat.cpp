#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "tuners/observe.hpp"

namespace lk {

namespace {

// All distances between different nodes are the same although packages hold several nodes.
bool is_flat(const Inventory& inventory) {
  const auto& nodes = inventory.numa.nodes;
  if (nodes.size() < 3 || inventory.numa.clustering.nodes_per_package.value_or(1) < 2) return false;
  std::optional<std::int64_t> common;
  for (const auto& node : nodes) {
    for (const auto& [other, distance] : node.distances) {
      if (other == std::to_string(node.id)) continue;
      if (common && *common != distance) return false;
      common = distance;
    }
  }
  return common.has_value();
}

std::vector<Evidence> evidence_of(const Inventory& inventory) {
  std::vector<Evidence> evidence;
  for (const auto& node : inventory.numa.nodes) {
    // As the file has them: by node number, where "10" comes after "2".
    std::map<std::int64_t, std::int64_t> by_number;
    for (const auto& [other, distance] : node.distances) {
      by_number.emplace(parse_int(other).value_or(0), distance);
    }
    std::string raw;
    for (const auto& each : by_number) {
      raw += (raw.empty() ? "" : " ") + std::to_string(each.second);
    }
    if (!raw.empty()) {
      evidence.push_back(
          {"sys/devices/system/node/node" + std::to_string(node.id) + "/distance", raw});
    }
  }
  return evidence;
}

std::vector<Observation> observe(const Inventory& inventory) {
  const auto& numa = inventory.numa;
  if (!inventory.cpu.packages) return {missing(inventory, "host", "cpu.packages")};
  if (numa.nodes.empty() && *inventory.cpu.packages <= 1) {
    return nothing(inventory, "numa.nodes", "one package, and a kernel that shows no nodes");
  }
  if (numa.nodes.empty()) {
    const Problem* problem = find_problem(inventory, "numa.nodes");
    if (problem != nullptr && problem->cause != Cause::absent) {
      return {missing(inventory, "host", "numa.nodes")};
    }
  }
  std::string value = "ok";
  const auto with_cpus = std::count_if(numa.nodes.begin(), numa.nodes.end(), [](const auto& node) {
    return node.cpus && !node.cpus->empty();
  });
  if (with_cpus <= 1 && *inventory.cpu.packages > 1) {
    value = "one_node";
  } else if (numa.clustering.kind == ClusteringKind::interleaved) {
    value = "interleaved";
  } else if (is_flat(inventory)) {
    value = "flat_distances";
  }
  if (value != "ok" && is_virtual(inventory)) {
    return {not_applicable("host",
                           "the hypervisor gives this virtual machine its packages and "
                           "nodes; they say nothing about the hardware")};
  }
  auto seen = observed("host", value, evidence_of(inventory));
  seen.detail = std::to_string(numa.nodes.size()) + " nodes, " +
                std::to_string(*inventory.cpu.packages) + " packages";
  seen.traits = cpu_traits(inventory);
  return {seen};
}

Remedy remedy(const ObservationGroup& group, const Expectation&) {
  const auto& value = std::get<std::string>(*group.front()->value);
  if (value == "flat_distances") {
    return firmware(
        "Turn the SLIT on in the firmware setup (HPE: \"ACPI SLIT\"): without it every node looks "
        "equally far.");
  }
  auto remedy = firmware(
      "Turn node interleaving off in the firmware setup (Dell: Memory Settings, Node Interleaving; "
      "AMD: NUMA nodes per socket, not NPS0), and boot without numa=off and acpi=off.");
  remedy.command = "cat /proc/cmdline; dmesg | grep -i -e srat -e numa";
  return remedy;
}

}  // namespace

extern const Knob kNumaSrat;
const Knob kNumaSrat{
    .id = "numa.srat",
    .title = "NUMA tables of the firmware",
    .doc = R"(Whether the firmware tells the kernel which memory and which CPUs are near each other.
Values: `ok`; `one_node` (several packages, but one node: node interleaving, no SRAT, or numa=off);
`interleaved` (a node spans packages); `flat_distances` (several nodes in a package, all equally
far: the SLIT is missing). In a virtual machine the hypervisor makes this up, so only `ok` is
reported there.

By hand: `numactl --hardware`)",
    .why =
        "Without these tables neither the kernel nor any tool can keep I/O on the drive's node: "
        "memory and queues land anywhere. The published Dell R770 tests keep node interleaving "
        "off as a condition of all NUMA locality.",
    .words = {"ok", "one_node", "interleaved", "flat_distances"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
