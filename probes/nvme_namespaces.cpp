#include "probes/nvme_namespaces.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "probes/block_queue.hpp"

namespace lk {

namespace {

constexpr const char* kField = "nvme.namespaces[]";

std::string_view take_digits(std::string_view& text) {
  const auto end = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto digits = text.substr(0, end);
  text.remove_prefix(end);
  return digits;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// "nvme0n1" or "nvme0c1n1"; nothing for partitions, character devices (ng0n1) and controllers.
std::optional<NvmeDisk> parse_disk(std::string_view name) {
  auto rest = name;
  if (!take(rest, "nvme")) return std::nullopt;
  const auto first = take_digits(rest);
  bool is_path = false;
  if (take(rest, "c")) {
    is_path = true;
    if (take_digits(rest).empty()) return std::nullopt;
  }
  if (first.empty() || !take(rest, "n")) return std::nullopt;
  const auto index = take_digits(rest);
  if (index.empty() || !rest.empty()) return std::nullopt;
  return NvmeDisk{
      std::string(name), {}, "nvme" + std::string(first) + "n" + std::string(index), is_path};
}

// Where a head stands: among the block devices, else in its subsystem (some captures).
std::string head_directory(const Root& root, const std::string& name) {
  if (root.exists("sys/block/" + name)) return "sys/block/" + name;
  if (const auto systems = root.list("sys/class/nvme-subsystem")) {
    for (const auto& each : *systems) {
      auto directory = "sys/class/nvme-subsystem/" + each + "/" + name;
      if (root.exists(directory)) return directory;
    }
  }
  return {};
}

// A head is made for every subsystem that may have several controllers, with one path too; only
// paths prove that a namespace is shared, and only their absence under native multipath that not.
std::optional<bool> is_shared(ProbeContext& context, const std::vector<NvmeDisk>& disks) {
  const std::string field = std::string(kField) + ".shared";
  if (disks.size() > 1) return true;
  if (disks.front().is_path) {
    context.missing(field, Cause::absent,
                    "its subsystem may have several controllers, this host sees one");
    return std::nullopt;
  }
  const std::string parameter = "sys/module/nvme_core/parameters/multipath";
  const auto multipath = context.optional_text(field, parameter);
  if (multipath == "Y") return false;
  context.missing(field, Cause::absent,
                  "native multipath is off, so the kernel does not tell shared namespaces",
                  parameter);
  return std::nullopt;
}

std::optional<std::string> ana_state(ProbeContext& context, const std::string& directory) {
  const std::string field = std::string(kField) + ".paths[].ana_state";
  auto state = context.optional_text(field, directory + "/ana_state");
  if (state && !state->empty()) return state;
  context.missing(field, Cause::not_applicable, "the subsystem reports no asymmetric access",
                  directory + "/ana_state");
  return std::nullopt;
}

struct Path {
  NvmeDisk disk;
  std::string controller;
};

NvmeNamespace read_one(ProbeContext& context, const std::string& name,
                       const std::vector<Path>& paths, const OwnerMap& owners) {
  const std::string field = kField;
  NvmeNamespace out;
  out.name = name;
  std::vector<NvmeDisk> disks;
  for (const auto& path : paths) {
    disks.push_back(path.disk);
    out.paths.push_back({path.disk.name, path.controller, ana_state(context, path.disk.directory)});
  }
  std::string directory = paths.front().disk.directory;
  if (paths.front().disk.is_path) {
    const auto head = head_directory(context.root, name);
    if (!head.empty()) directory = head;
  }
  out.wwid = context.word(field + ".wwid", directory + "/wwid");
  const auto sectors = context.integer(field + ".size_bytes", directory + "/size");
  if (sectors) out.size_bytes = *sectors * 512;
  out.shared = is_shared(context, disks);
  const auto& first = paths.front().disk;
  if (auto reading = read_queue(context, first.name, first.directory, field + ".queue")) {
    out.queue = std::move(reading->queue);
    out.lba_bytes = reading->lba_bytes;
  } else {
    context.missing(field + ".lba_bytes", Cause::absent, "its queue was not read",
                    first.directory + "/queue/logical_block_size");
  }
  out.in_use = owners.in_use(owners.use_of(name));
  return out;
}

}  // namespace

std::vector<NvmeDisk> disks_of(const Root& root, const std::string& controller_directory) {
  std::vector<NvmeDisk> disks;
  const auto entries = root.list(controller_directory);
  if (!entries) return disks;
  for (const auto& entry : *entries) {
    auto disk = parse_disk(entry);
    if (!disk) continue;
    disk->directory = controller_directory + "/" + entry;
    disks.push_back(*std::move(disk));
  }
  return disks;
}

void read_namespaces(ProbeContext& context,
                     const std::map<std::string, std::vector<NvmeDisk>>& disks,
                     const OwnerMap& owners) {
  std::map<std::string, std::vector<Path>> by_name;
  for (const auto& [controller, list] : disks) {
    for (const auto& disk : list) by_name[disk.head].push_back({disk, controller});
  }
  for (const auto& [name, paths] : by_name) {
    context.inventory.nvme.namespaces.push_back(read_one(context, name, paths, owners));
  }
}

}  // namespace lk
