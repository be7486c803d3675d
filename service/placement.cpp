#include "service/placement.hpp"

#include <algorithm>
#include <set>

#include "probes/find_drive.hpp"

namespace lk {

namespace {

std::string name_of_drive(const NvmeController& drive) {
  std::string text = drive.name.value_or(drive.id);
  if (drive.serial) text += " (" + *drive.serial + ')';
  return text;
}

std::string list_of(const std::vector<const NvmeController*>& drives) {
  std::string text;
  for (const auto* each : drives) text += (text.empty() ? "" : ", ") + name_of_drive(*each);
  return text;
}

Error no_drive(const Inventory& inventory, std::string_view name) {
  std::vector<const NvmeController*> all;
  for (const auto& each : inventory.nvme.controllers) all.push_back(&each);
  const std::string known =
      all.empty() ? "this host has no NVMe drive" : "there are " + list_of(all);
  return Error{"no drive \"" + std::string(name) + "\"; " + known, {}, 0};
}

Error no_node(const NvmeController& drive) {
  const std::string key =
      drive.pci_address ? *drive.pci_address : drive.serial.value_or("<serial>");
  return Error{"the node of " + name_of_drive(drive) +
                   " is not known: firmware does not tell it. If you know where it is plugged in, "
                   "say so in /etc/lanekeeper/config.yaml: numa_nodes: {\"" +
                   key + "\": <node>}",
               {},
               0};
}

// The drive, or one of several that are on the same node (paths of one namespace).
Result<const NvmeController*> choose(const Inventory& inventory, std::string_view name) {
  const auto found = find_drive(inventory, name);
  if (found.empty()) return no_drive(inventory, name);
  std::set<std::optional<std::int64_t>> nodes;
  for (const auto* each : found) nodes.insert(each->effective_node);
  if (nodes.size() > 1) {
    return Error{'"' + std::string(name) + "\" means several drives, on different nodes: " +
                     list_of(found) + "; name one of them",
                 {},
                 0};
  }
  if (!found.front()->effective_node) return no_node(*found.front());
  return found.front();
}

void leave_out(CpuSet& cpus, const CpuSet& out, const std::string& why,
               std::vector<std::string>& notes) {
  const CpuSet gone = cpus & out;
  if (gone.empty()) return;
  cpus -= gone;
  notes.push_back("CPUs " + gone.to_list() + " of the drive's node are left out: " + why);
}

const NumaNode* find_node(const Inventory& inventory, std::int64_t id) {
  for (const auto& each : inventory.numa.nodes) {
    if (each.id == id) return &each;
  }
  return nullptr;
}

// The drive's node, or if that has no memory the nearest that has.
std::int64_t memory_near(const Inventory& inventory, std::int64_t id,
                         std::vector<std::string>& notes) {
  const auto* node = find_node(inventory, id);
  if (node == nullptr || node->memory_bytes != 0) return id;
  std::optional<std::pair<std::int64_t, std::int64_t>> best;  // distance, node
  for (const auto& other : inventory.numa.nodes) {
    const auto distance = node->distances.find(std::to_string(other.id));
    if (other.memory_bytes.value_or(0) == 0 || distance == node->distances.end()) continue;
    const auto here = std::make_pair(distance->second, other.id);
    if (!best || here < *best) best = here;
  }
  if (!best) return id;
  notes.push_back("node " + std::to_string(id) + " has no memory; the nearest that has some is " +
                  std::to_string(best->second));
  return best->second;
}

std::string systemd_text(const Placement& placement, MemoryPolicy policy) {
  std::string out = "# local to " + name_of_drive(*placement.drive) + ", node " +
                    std::to_string(placement.node) + '\n';
  for (const auto& note : placement.notes) out += "# " + note + '\n';
  // An empty assignment first: others would be added to.
  return out + "[Service]\nCPUAffinity=\nCPUAffinity=" + placement.cpus.to_list() +
         "\nNUMAPolicy=" + (policy == MemoryPolicy::bind ? "bind" : "preferred") +
         "\nNUMAMask=" + std::to_string(placement.memory_node) + '\n';
}

}  // namespace

Result<Placement> place_near(const Inventory& inventory, std::string_view name) {
  const auto drive = choose(inventory, name);
  if (!drive) return drive.error();
  Placement placement;
  placement.drive = *drive;
  placement.node = *(*drive)->effective_node;
  auto& notes = placement.notes;
  if ((*drive)->node_confidence == Confidence::low) {
    notes.push_back("the drive's node is not sure (" + std::string(name_of((*drive)->node_source)) +
                    ")");
  }
  if (!(*drive)->local_cpus) {
    return Error{"the CPUs of node " + std::to_string(placement.node) + " are not known", {}, 0};
  }
  CpuSet cpus = *(*drive)->local_cpus;
  if (const auto& offline = inventory.cpu.offline) leave_out(cpus, *offline, "offline", notes);
  if (const auto& isolated = inventory.cpu.isolated) {
    leave_out(cpus, *isolated, "isolated (isolcpus)", notes);
  }
  if (const auto& allowed = inventory.cpu.allowed) {
    leave_out(cpus, cpus - *allowed, "this process may not use them", notes);
  }
  if (cpus.empty()) {
    std::string why;
    for (const auto& note : notes) why += "; " + note;
    return Error{"no CPU of node " + std::to_string(placement.node) + ", where " +
                     name_of_drive(**drive) + " is, can be used" + why,
                 {},
                 0};
  }
  placement.cpus = std::move(cpus);
  placement.memory_node = memory_near(inventory, placement.node, notes);
  return placement;
}

std::string placement_text(const Placement& placement, PlacementFormat format,
                           MemoryPolicy policy) {
  const auto cpus = placement.cpus.to_list();
  const auto memory = std::to_string(placement.memory_node);
  const bool bind = policy == MemoryPolicy::bind;
  switch (format) {
    case PlacementFormat::numactl:
      return "numactl --physcpubind=" + cpus + (bind ? " --membind=" : " --preferred=") + memory +
             '\n';
    case PlacementFormat::systemd:
      return systemd_text(placement, policy);
    case PlacementFormat::cpuset:
      return "cpuset.cpus=" + cpus + "\ncpuset.mems=" + memory + '\n';
    case PlacementFormat::fio:
      return "cpus_allowed=" + cpus + "\nnuma_mem_policy=" + (bind ? "bind:" : "prefer:") + memory +
             '\n';
  }
  return {};
}

}  // namespace lk
