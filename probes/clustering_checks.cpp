// The order of CPU numbers, and the checks of what firmware tables say about nodes.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "probes/clustering.hpp"

namespace lk {

namespace {

// The group of each core's first thread, in the order of CPU numbers.
template <class Groups, class CpusOf>
std::vector<std::size_t> groups_of_cores(const Cpu& cpu, const Groups& groups,
                                         const CpusOf& cpus_of) {
  std::vector<std::size_t> order;
  for (const auto& core : cpu.core_list) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (!cpus_of(groups[i]).contains(core.first())) continue;
      order.push_back(i);
      break;
    }
  }
  return order;
}

Enumeration classify_order(const std::vector<std::size_t>& order) {
  const std::set<std::size_t> groups(order.begin(), order.end());
  // With one core per group every order looks the same.
  if (groups.size() < 2 || order.size() <= groups.size()) return Enumeration::unknown;
  std::size_t changes = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (order[i] != order[i - 1]) ++changes;
  }
  if (changes == groups.size() - 1) return Enumeration::linear;
  if (10 * changes >= 8 * (order.size() - 1)) return Enumeration::round_robin;
  return Enumeration::mixed;
}

std::string node(std::int64_t id) {
  return "node " + std::to_string(id);
}

// One warning each, with the first case, however many nodes a broken table strikes.
void check_distances(const Numa& numa, std::vector<std::string>& warnings) {
  std::map<std::string, const NumaNode*> by_id;
  for (const auto& each : numa.nodes) by_id[std::to_string(each.id)] = &each;
  bool self = false;
  bool lopsided = false;
  for (const auto& [from_id, from] : by_id) {
    for (const auto& [to_id, distance] : from->distances) {
      if (to_id == from_id && distance != 10 && !std::exchange(self, true)) {
        warnings.push_back("node " + from_id + " has distance " + std::to_string(distance) +
                           " to itself; 10 is local (SLIT)");
      }
      const auto to = by_id.find(to_id);
      if (to == by_id.end()) continue;
      const auto back = to->second->distances.find(from_id);
      if (back == to->second->distances.end() || back->second == distance) continue;
      if (std::exchange(lopsided, true)) continue;
      warnings.push_back("distances differ by direction (SLIT), first between nodes " + from_id +
                         " and " + to_id + ": " + std::to_string(distance) + " and " +
                         std::to_string(back->second));
    }
  }
}

// With sub-NUMA clustering a near node and one in the other package cannot be equally far.
void check_flat(const Numa& numa, std::int64_t packages, std::vector<std::string>& warnings) {
  if (packages < 2 || numa.clustering.nodes_per_package.value_or(1) < 2) return;
  std::set<std::int64_t> others;
  for (const auto& from : numa.nodes) {
    for (const auto& [to, distance] : from.distances) {
      if (to != std::to_string(from.id)) others.insert(distance);
    }
  }
  if (others.size() == 1) {
    warnings.push_back("all nodes are equally far from each other (" +
                       std::to_string(*others.begin()) +
                       ") in spite of sub-NUMA clustering: the SLIT table is absent or flat");
  }
}

void check_members(const Inventory& inventory, std::vector<std::string>& warnings) {
  CpuSet seen;
  CpuSet twice;
  for (const auto& each : inventory.numa.nodes) {
    if (!each.cpus) return;  // the sum over nodes cannot be told
    twice |= seen & *each.cpus;
    seen |= *each.cpus;
    if (!each.cpus->empty() && each.memory_bytes == 0) {
      warnings.push_back(node(each.id) +
                         " has CPUs and no memory: all its memory accesses are remote");
    }
  }
  if (!twice.empty()) warnings.push_back("CPUs " + twice.to_list() + " are in two nodes");
  if (inventory.numa.nodes.empty() || !inventory.cpu.online) return;
  const auto homeless = *inventory.cpu.online - seen;
  if (!homeless.empty()) warnings.push_back("CPUs " + homeless.to_list() + " are in no node");
}

bool is_machine(const Host& host) {
  return host.virtualization == "none";
}

}  // namespace

Enumeration classify_enumeration(const Inventory& inventory) {
  const auto& cpu = inventory.cpu;
  std::vector<CpuSet> groups;
  for (const auto& each : inventory.numa.nodes) {
    if (each.cpus && !each.cpus->empty()) groups.push_back(*each.cpus);
  }
  if (groups.size() < 2) {
    groups.clear();
    for (const auto& each : cpu.package_list) groups.push_back(each.cpus);
  }
  return classify_order(
      groups_of_cores(cpu, groups, [](const CpuSet& cpus) -> const CpuSet& { return cpus; }));
}

std::vector<std::string> numa_warnings(const Inventory& inventory) {
  std::vector<std::string> warnings;
  const auto& numa = inventory.numa;
  check_members(inventory, warnings);
  check_distances(numa, warnings);
  check_flat(numa, inventory.cpu.packages.value_or(0), warnings);
  if (numa.clustering.kind == ClusteringKind::interleaved && is_machine(inventory.host)) {
    warnings.emplace_back(
        "nodes span packages: node interleaving is on in the firmware, or it gives no SRAT table");
  }
  const std::string cmdline = " " + inventory.host.cmdline.value_or("");
  for (const auto* word : {"numa=fake=", "numa=off"}) {
    if (cmdline.find(std::string(" ") + word) != std::string::npos) {
      warnings.push_back(std::string(word) +
                         " on the kernel command line: the nodes are not the "
                         "machine's");
    }
  }
  return warnings;
}

}  // namespace lk
