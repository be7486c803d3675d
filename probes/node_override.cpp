#include "probes/node_override.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "probes/find_drive.hpp"
#include "probes/nvme_namespaces.hpp"

namespace lk {

namespace {

// As much of an inventory as find_drive() looks at.
Inventory names_of(const Root& root, const std::vector<NamedDrive>& drives) {
  Inventory out;
  for (const auto& drive : drives) {
    out.nvme.controllers.push_back(*drive.controller);
    if (drive.directory.empty()) continue;
    for (const auto& disk : disks_of(root, drive.directory)) {
      NvmeNamespace space;
      space.name = disk.head;
      const auto wwid = root.read(disk.directory + "/wwid");
      if (wwid && !trim(*wwid).empty()) space.wwid = std::string(trim(*wwid));
      space.paths.push_back({disk.name, drive.controller->name.value_or(""), std::nullopt});
      out.nvme.namespaces.push_back(std::move(space));
    }
  }
  return out;
}

std::string known_names(const Inventory& names, const std::string& wanted) {
  std::vector<std::string> known;
  for (const auto& each : names.nvme.controllers) {
    for (const auto& name : {std::optional(each.id), each.name, each.serial, each.slot}) {
      if (name) known.push_back(*name);
    }
  }
  const auto near = nearest(wanted, known);
  return near.empty() ? "" : ", is \"" + near + "\" meant?";
}

// The ports of one drive share its serial and may all be meant.
bool one_drive(const std::vector<const NvmeController*>& found) {
  return std::all_of(found.begin(), found.end(), [&](const NvmeController* each) {
    return found.size() == 1 || (each->serial && each->serial == found.front()->serial);
  });
}

}  // namespace

std::map<std::string, std::int64_t> resolve_node_overrides(ProbeContext& context,
                                                           const std::vector<NamedDrive>& drives) {
  std::map<std::string, std::int64_t> nodes;
  if (context.node_overrides.empty()) return nodes;
  const auto names = names_of(context.root, drives);
  std::map<std::string, std::string> named_by;
  for (const auto& [name, node] : context.node_overrides) {
    const auto refuse = [&, &wanted = name](const std::string& why) {
      context.missing("numa_nodes." + wanted, Cause::malformed,
                      "numa_nodes in the configuration names \"" + wanted + "\", " + why);
    };
    const auto found = find_drive(names, name);
    if (found.empty()) {
      refuse("which is no NVMe drive of this host" + known_names(names, name));
      continue;
    }
    if (!one_drive(found)) {
      refuse("which fits several drives; take the PCI address");
      continue;
    }
    for (const auto* each : found) {
      const auto [place, fresh] = nodes.emplace(each->id, node);
      if (fresh) {
        named_by[each->id] = name;
      } else if (place->second != node) {
        refuse("a drive that it gives another node as \"" + named_by[each->id] + "\"");
      }
    }
  }
  return nodes;
}

}  // namespace lk
