#include <algorithm>

#include "daemon/picture.hpp"
#include "daemon/table.hpp"
#include "daemon/units.hpp"
#include "tuners/observe.hpp"

namespace lk {

namespace {

using Drives = std::vector<const NvmeController*>;

Cell link_cell(const Inventory& inventory, const NvmeController& drive) {
  const auto& link = drive.link;
  if (!drive.pci_address) return "-";
  if (!link.speed_gts || !link.width) {
    if (is_foreign(drive)) return "left to " + *drive.driver;
    return unknown(inventory, "nvme.controllers[].link.speed_gts", hint_of(drive));
  }
  const auto text = [](double speed, std::int64_t width) {
    return number_text(speed) + " GT/s x" + std::to_string(width);
  };
  std::string out = text(*link.speed_gts, *link.width);
  if (link.degraded != true) return out;
  const bool capped = link.capped_by_firmware == true;
  const Ink ink = capped ? Ink::yellow : Ink::red;
  const std::string verdict = capped ? "capped by firmware" : "degraded";
  const auto& at = link.degraded_at;
  if (std::find(at.begin(), at.end(), drive.pci_address) == at.end() && !at.empty()) {
    return {out + ", " + verdict + " at " + at.front(), ink};
  }
  if (link.achievable_speed_gts && link.achievable_width) {
    out += " of " + text(*link.achievable_speed_gts, *link.achievable_width);
  }
  return {out + ", " + verdict, ink};
}

Cell queue_cell(const NvmeController& drive) {
  if (drive.queues.empty()) {
    return drive.queue_count ? std::to_string(std::max<std::int64_t>(*drive.queue_count - 1, 0))
                             : "";
  }
  const auto far = std::count_if(drive.queues.begin(), drive.queues.end(),
                                 [](const NvmeQueue& queue) { return queue.local == false; });
  const auto count = std::to_string(drive.queues.size());
  if (far == 0) return count;
  return {count + ", " + std::to_string(far) + " interrupt elsewhere", Ink::yellow};
}

Cell state_cell(const Inventory& inventory, const NvmeController& drive) {
  if (!drive.name) return "driver " + drive.driver.value_or("none");
  if (!drive.state) return unknown(inventory, "nvme.controllers[].state", hint_of(drive));
  return {*drive.state, *drive.state == "live" ? Ink::green : Ink::red};
}

std::string size_text(const Inventory& inventory, const NvmeController& drive) {
  std::int64_t bytes = 0;
  bool any = false;
  bool shared = false;
  for (const auto& space : inventory.nvme.namespaces) {
    const bool ours = std::any_of(space.paths.begin(), space.paths.end(), [&](const auto& path) {
      return drive.name && path.controller == *drive.name;
    });
    if (!ours || !space.size_bytes) continue;
    bytes += *space.size_bytes;
    any = true;
    shared |= space.paths.size() > 1;  // it stands in the line of another drive too
  }
  return any ? disk_text(bytes) + (shared ? " shared" : "") : "";
}

std::string users_text(const std::vector<Owner>& owners) {
  std::string out;
  for (const auto& owner : owners) {
    const std::string kind(name_of(owner.kind));
    // "vfio-pci" says that it is vfio.
    out +=
        (out.empty() ? "" : ", ") + (owner.name.starts_with(kind) ? "" : kind + ' ') + owner.name;
  }
  return out;
}

std::string drive_table(const Inventory& inventory, const Drives& drives, const Terminal& terminal,
                        bool with_reason, std::size_t indent) {
  Table table({{"DRIVE"},
               {"ADDRESS"},
               {"SLOT"},
               {"MODEL", false, true},
               {"SIZE", true},
               {"LINK", false, true},
               {"QUEUES", false, true},
               {"STATE"},
               {"USED BY", false, true},
               {"WHY", false, true}});
  for (const auto* drive : drives) {
    const bool pci = drive->pci_address.has_value();
    table.row({short_name(*drive),
               pci ? *drive->pci_address
                   : drive->transport.value_or("") + ' ' + drive->address.value_or(""),
               drive->slot.value_or(""),
               drive->model  ? *drive->model
               : drive->name ? unknown(inventory, "nvme.controllers[].model", hint_of(*drive))
                             : "",
               size_text(inventory, *drive), link_cell(inventory, *drive), queue_cell(*drive),
               state_cell(inventory, *drive), users_text(drive->owners),
               with_reason ? node_reason(*drive) : ""});
  }
  return table.render(terminal, indent);
}

std::string packages_text(const NumaNode& node) {
  if (node.packages.empty()) return "no package (memory only)";
  std::string out = node.packages.size() == 1 ? "package" : "packages";
  for (std::size_t i = 0; i < node.packages.size(); ++i) {
    out += (i == 0 ? " " : ", ") + std::to_string(node.packages[i]);
  }
  return out;
}

// "; distance 12 to 1-3, 21 to 4-7".
std::string distances_text(const Inventory& inventory, const NumaNode& node) {
  std::map<std::int64_t, CpuSet> by_distance;
  for (const auto& other : inventory.numa.nodes) {
    const auto found = node.distances.find(std::to_string(other.id));
    if (other.id == node.id || found == node.distances.end()) continue;
    by_distance[found->second].add(static_cast<unsigned>(other.id));
  }
  std::string text;
  for (const auto& [distance, nodes] : by_distance) {
    text +=
        (text.empty() ? "; distance " : ", ") + std::to_string(distance) + " to " + nodes.to_list();
  }
  return text;
}

std::string node_line(const Inventory& inventory, const NumaNode& node, const Terminal& terminal) {
  std::string text = "CPUs " + (node.cpus ? (node.cpus->empty() ? "none" : node.cpus->to_list())
                                          : unknown(inventory, "numa.nodes[].cpus"));
  text += "; memory " + (node.memory_bytes ? memory_text(*node.memory_bytes)
                                           : unknown(inventory, "numa.nodes[].memory_bytes"));
  text += distances_text(inventory, node);
  for (const auto& pages : node.hugepages) {
    if (pages.total && *pages.total > 0) {
      text +=
          "; " + std::to_string(*pages.total) + " huge pages of " + memory_text(pages.page_bytes);
    }
  }
  const std::string label = "node " + std::to_string(node.id);
  return "  " + inked(terminal, Ink::bold, label) + "  " +
         wrap(visible(text), terminal.width, label.size() + 4) + '\n';
}

}  // namespace

std::string picture_nodes(const Inventory& inventory, const Terminal& terminal) {
  std::map<std::int64_t, Drives> on_node;
  Drives nowhere;
  for (const auto& drive : inventory.nvme.controllers) {
    const auto known =
        std::any_of(inventory.numa.nodes.begin(), inventory.numa.nodes.end(),
                    [&](const NumaNode& node) { return drive.effective_node == node.id; });
    (known ? on_node[*drive.effective_node] : nowhere).push_back(&drive);
  }
  std::vector<std::string> order;  // packages as they first appear
  for (const auto& node : inventory.numa.nodes) {
    const auto text = packages_text(node);
    if (std::find(order.begin(), order.end(), text) == order.end()) order.push_back(text);
  }
  std::string out;
  for (const auto& package : order) {
    out += inked(terminal, Ink::bold, package) + '\n';
    for (const auto& node : inventory.numa.nodes) {
      if (packages_text(node) != package) continue;
      out += node_line(inventory, node, terminal);
      if (on_node.contains(node.id)) {
        out += drive_table(inventory, on_node[node.id], terminal, false, 4);
      }
    }
  }
  if (!nowhere.empty()) {
    // Fabrics have no place in this host; only a PCI drive's missing node wants a reason.
    Drives pci;
    Drives fabrics;
    for (const auto* drive : nowhere) (drive->pci_address ? pci : fabrics).push_back(drive);
    if (!pci.empty()) {
      out += inked(terminal, Ink::yellow, "drives without a known node") + '\n' +
             drive_table(inventory, pci, terminal, true, 4);
    }
    if (!fabrics.empty()) {
      out += inked(terminal, Ink::bold, "drives over fabrics") + '\n' +
             drive_table(inventory, fabrics, terminal, false, 4);
    }
  }
  if (inventory.nvme.controllers.empty()) out += "no NVMe drives\n";
  return out;
}

std::string picture_disks(const Inventory& inventory, const Terminal& terminal) {
  Table table({{"DISK"},
               {"DRIVER"},
               {"ADDRESS"},
               {"MODEL", false, true},
               {"SIZE", true},
               {"USED BY", false, true},
               {"NOTE", false, true}});
  std::int64_t virtual_disks = 0;
  for (const auto& disk : inventory.block) {
    if (disk.name.starts_with("nvme") || disk.hidden == true) continue;
    if (!disk.driver && !disk.pci_address) {  // loop, ram, dm, md, zram: no hardware of their own
      ++virtual_disks;
      continue;
    }
    table.row({disk.name, disk.driver.value_or(""), disk.pci_address.value_or(""),
               disk.model.value_or(""), disk.size_bytes ? disk_text(*disk.size_bytes) : "",
               users_text(disk.owners),
               disk.nvme_behind_hba == true ? "NVMe media behind this controller" : ""});
  }
  std::string out;
  if (!table.empty()) {
    out += inked(terminal, Ink::bold, "other disks") + '\n' + table.render(terminal, 4);
  }
  if (virtual_disks > 0) {
    out += "and " + plural(virtual_disks, "disk", "disks") + " without hardware (loop, md, dm)\n";
  }
  return out;
}

}  // namespace lk
