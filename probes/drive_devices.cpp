#include "probes/drive_devices.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace lk {

namespace {

std::string trimmed(const Root& root, const std::string& path) {
  const auto text = root.read(path);
  return text ? std::string(trim(*text)) : std::string();
}

std::vector<std::string> entries(const Root& root, const std::string& path) {
  auto names = root.list(path);
  return names ? *std::move(names) : std::vector<std::string>{};
}

void add_use(std::vector<DriveUse>& uses, DriveUse use) {
  if (std::find(uses.begin(), uses.end(), use) == uses.end()) uses.push_back(use);
}

// Controllers that reach a namespace, as places in the inventory.
std::vector<std::size_t> drives_of(const Inventory& inventory, const NvmeNamespace& of) {
  std::vector<std::size_t> found;
  const auto& all = inventory.nvme.controllers;
  for (const auto& path : of.paths) {
    const auto drive = std::find_if(all.begin(), all.end(), [&](const NvmeController& one) {
      return one.name == path.controller;
    });
    if (drive != all.end()) found.push_back(static_cast<std::size_t>(drive - all.begin()));
  }
  return found;
}

// "n1" of "ng0n1", "nvme0n1" and "nvme0c1n1": the head's number within its subsystem, which a
// namespace's block device and its character device share.
std::string_view head_number(std::string_view name) {
  return name.substr(std::min(name.rfind('n'), name.size()));
}

}  // namespace

DriveDevices::DriveDevices(ProbeContext& context, const OwnerMap& owners) {
  add_namespaces(context, owners);
  add_generic(context);
  add_user_space(context);
}

void DriveDevices::add(Uses& kind, const std::string& number, const std::string& place,
                       DriveUse use) {
  add_use(by_name_[place], use);
  if (!number.empty()) add_use(kind[number], use);
}

void DriveDevices::add_namespaces(const ProbeContext& context, const OwnerMap& owners) {
  const auto& inventory = context.inventory;
  const auto& namespaces = inventory.nvme.namespaces;
  for (std::size_t ns = 0; ns < namespaces.size(); ++ns) {
    const auto use = owners.use_of(namespaces[ns].name);
    for (const auto drive : drives_of(inventory, namespaces[ns])) {
      // All the system's programs have files open on the boot drive.
      const bool with_files = inventory.nvme.controllers[drive].role != Role::boot;
      for (const auto& [name, number] : use.devices) {
        add(blocks_, number, "/dev/" + name, {drive, Via::device, ns});
        // Also if it is not mounted here: a container may have it mounted.
        if (with_files && !number.empty()) {
          add_use(filesystems_[number], {drive, Via::file, ns});
        }
      }
    }
  }
}

// ng0n1 stands below its controller, or below its subsystem where that has a multipath head. The
// first number in its name is not that of the block device: "ng5n1" may be nvme0n1's.
void DriveDevices::add_generic(const ProbeContext& context) {
  const auto& inventory = context.inventory;
  const std::string base = "sys/class/nvme-generic/";
  for (const auto& name : entries(context.root, base)) {
    const auto real = context.root.real_path(base + name);
    if (!real || !name.starts_with("ng")) continue;
    const auto number = trimmed(context.root, base + name + "/dev");
    const auto above = split(*real, '/');
    for (std::size_t ns = 0; ns < inventory.nvme.namespaces.size(); ++ns) {
      const auto& each = inventory.nvme.namespaces[ns];
      const bool head = real->find("/nvme-subsystem/") != std::string::npos;
      if (head ? each.name != "nvme" + name.substr(2)
               : head_number(each.name) != head_number(name)) {
        continue;
      }
      for (const auto drive : drives_of(inventory, each)) {
        const auto& controller = inventory.nvme.controllers[drive].name;
        const bool below =
            controller && std::find(above.begin(), above.end(), *controller) != above.end();
        if (head || below) add(characters_, number, "/dev/" + name, {drive, Via::device, ns});
      }
    }
  }
}

// A drive that vfio or uio has is used through its group's device (noiommu-3 without an IOMMU), its
// own VFIO device, or its UIO device.
void DriveDevices::add_user_space(const ProbeContext& context) {
  const auto& root = context.root;
  const auto& controllers = context.inventory.nvme.controllers;
  for (std::size_t i = 0; i < controllers.size(); ++i) {
    const auto& drive = controllers[i];
    if (!drive.pci_address || drive.role == Role::boot || drive.name) continue;
    const std::string device = "sys/bus/pci/devices/" + *drive.pci_address;
    const DriveUse use{i, Via::vfio, {}};
    if (const auto group = root.link_target(device + "/iommu_group")) {
      const std::string number(base_name(*group));
      for (const auto& name : {number, "noiommu-" + number}) {
        add(characters_, trimmed(root, "sys/class/vfio/" + name + "/dev"), "/dev/vfio/" + name,
            use);
      }
    }
    for (const auto& name : entries(root, device + "/vfio-dev")) {
      add(characters_, trimmed(root, device + "/vfio-dev/" + name + "/dev"),
          "/dev/vfio/devices/" + name, use);
    }
    for (const auto& name : entries(root, device + "/uio")) {
      add(characters_, trimmed(root, device + "/uio/" + name + "/dev"), "/dev/" + name, use);
    }
  }
}

std::vector<DriveUse> DriveDevices::uses_of(const Root::OpenFile& file) const {
  const Uses* kind = file.is_block()       ? &blocks_
                     : file.is_character() ? &characters_
                     : file.is_regular()   ? &filesystems_
                                           : nullptr;
  if (kind == nullptr) return {};
  const auto found = kind->find(file.number);
  return found == kind->end() ? std::vector<DriveUse>{} : found->second;
}

std::vector<DriveUse> DriveDevices::uses_of(std::string_view link, const OwnerMap& owners) const {
  if (const auto known = by_name_.find(std::string(link)); known != by_name_.end()) {
    return known->second;
  }
  if (link.starts_with(kFileOn)) {
    const auto device = by_name_.find("/dev/" + std::string(link.substr(kFileOn.size())));
    auto uses = device == by_name_.end() ? std::vector<DriveUse>{} : device->second;
    for (auto& use : uses) use.via = Via::file;
    return uses;
  }
  if (!link.starts_with('/')) return {};
  const auto* mount = owners.mount_of(link);
  const auto found = mount == nullptr ? filesystems_.end() : filesystems_.find(mount->number);
  return found == filesystems_.end() ? std::vector<DriveUse>{} : found->second;
}

}  // namespace lk
