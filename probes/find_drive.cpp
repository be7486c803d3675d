#include "probes/find_drive.hpp"

#include <algorithm>
#include <cctype>

namespace lk {

namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (auto& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool same_address(const std::optional<std::string>& address, const std::string& name) {
  return address && (*address == name || *address == "0000:" + name);
}

// Whether `name` is a namespace of the controller: its disk, its path or its wwid.
bool has_namespace(const Inventory& inventory, const NvmeController& drive, std::string_view name) {
  for (const auto& each : inventory.nvme.namespaces) {
    for (const auto& path : each.paths) {
      if (path.controller != drive.name) continue;
      if (each.name == name || path.name == name || each.wwid == name) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<const NvmeController*> find_drive(const Inventory& inventory, std::string_view name) {
  if (name.starts_with("/dev/")) name.remove_prefix(5);
  std::vector<const NvmeController*> found;
  if (name.empty()) return found;
  const auto& all = inventory.nvme.controllers;
  const auto exact = std::find_if(all.begin(), all.end(), [&](const NvmeController& each) {
    return each.id == name || each.name == name;
  });
  if (exact != all.end()) return {&*exact};
  const std::string address = lower(name);
  for (const auto& each : all) {
    if (same_address(each.pci_address, address) || each.serial == name || each.slot == name ||
        has_namespace(inventory, each, name)) {
      found.push_back(&each);
    }
  }
  return found;
}

std::vector<const BlockDevice*> find_disk(const Inventory& inventory, std::string_view name) {
  if (name.starts_with("/dev/")) name.remove_prefix(5);
  std::vector<const BlockDevice*> found;
  for (const auto& each : inventory.block) {
    if (each.name == name) return {&each};
    if (each.serial == name || each.wwid == name || each.device_number == name) {
      found.push_back(&each);
    }
  }
  return found;
}

std::optional<std::string> drive_wwid(const Inventory& inventory, const NvmeController& drive) {
  for (const auto& each : inventory.nvme.namespaces) {
    for (const auto& path : each.paths) {
      if (drive.name && path.controller == *drive.name && each.wwid) return each.wwid;
    }
  }
  return std::nullopt;
}

}  // namespace lk
