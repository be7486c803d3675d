// All disks: NVMe namespaces and paths, SCSI, virtio and others. kernel.md 2.6 and 0.2.

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "probes/block_queue.hpp"
#include "probes/owners.hpp"
#include "probes/pci_path.hpp"
#include "probes/probe.hpp"

namespace lk {

namespace {

const std::string kField = "block[]";

// RAID controllers and host bus adapters that attach NVMe drives and show them as SCSI disks.
bool is_tri_mode(std::string_view driver) {
  static const std::set<std::string_view> drivers{"megaraid_sas", "mpt3sas", "mpi3mr",
                                                  "smartpqi",     "aacraid", "hpsa"};
  return drivers.contains(driver);
}

// What stands on other devices (dm, md, bcache) shows up as their owner instead. CD-ROMs and
// floppies are no disks, RAM disks no drives; a loop or network device is one while something is
// attached to it.
bool is_disk(const Root& root, const std::string& name) {
  for (const char* other : {"sr", "fd", "ram", "zram", "dm-", "md", "bcache"}) {
    if (name.starts_with(other)) return false;
  }
  const std::string base = "sys/block/" + name;
  if (root.exists(base + "/device")) return true;
  const auto size = root.read(base + "/size");
  const auto sectors = size ? parse_int(*size) : Result<std::int64_t>(std::int64_t{0});
  return sectors && *sectors > 0;
}

// The driver nearest above the disk that is not the SCSI disk driver itself.
std::optional<std::string> controller_driver(const Root& root, std::string path) {
  while (path.find('/') != std::string::npos) {
    auto driver = driver_of(root, path);
    if (driver && *driver != "sd") return driver;
    path.resize(path.rfind('/'));
  }
  return std::nullopt;
}

// A head of a multipath subsystem hangs on no controller: its first path tells.
std::string hardware_path(const ProbeContext& context, const std::string& name) {
  for (const auto& each : context.inventory.nvme.namespaces) {
    if (each.name != name || each.paths.empty()) continue;
    const auto path = context.root.real_path("sys/class/nvme/" + each.paths[0].controller);
    if (path) return *path;
  }
  const auto path = context.root.real_path("sys/block/" + name + "/device");
  return path ? *path : std::string();
}

const NvmeController* controller_at(const Inventory& inventory,
                                    const std::optional<std::string>& address) {
  const auto& all = inventory.nvme.controllers;
  const auto found = std::find_if(all.begin(), all.end(), [&](const NvmeController& each) {
    return address && each.pci_address == address;
  });
  return found == all.end() ? nullptr : &*found;
}

void read_hardware(ProbeContext& context, BlockDevice& disk) {
  const std::string path = hardware_path(context, disk.name);
  disk.driver = controller_driver(context.root, path);
  if (!disk.driver) {
    context.missing(kField + ".driver", Cause::absent, "no driver is bound above it", path);
  }
  const auto functions = pci_functions(path);
  if (functions.empty()) {
    context.missing(kField + ".pci_address", Cause::not_applicable, "no PCI function is above it",
                    path);
  } else {
    disk.pci_address = std::string(base_name(functions.back()));
  }
}

// Unit serial number page as the kernel cached it: four bytes of header, then text.
std::optional<std::string> scsi_serial(const Root& root, const std::string& path) {
  const auto page = root.read(path);
  if (!page || page->size() <= 4) return std::nullopt;
  auto serial = std::string(trim(std::string_view(*page).substr(4)));
  if (serial.empty()) return std::nullopt;
  return serial;
}

// One of several places; a Problem for the last if none of them holds anything.
std::optional<std::string> first_of(ProbeContext& context, const std::string& field,
                                    const std::vector<std::string>& paths) {
  for (const auto& path : paths) {
    auto text = context.optional_text(field, path);
    if (text && !text->empty()) return text;
  }
  context.missing(field, Cause::absent, "the kernel shows none", paths.back());
  return std::nullopt;
}

void read_identity(ProbeContext& context, BlockDevice& disk) {
  const std::string base = "sys/block/" + disk.name + "/";
  const auto* nvme =
      disk.name.starts_with("nvme") ? controller_at(context.inventory, disk.pci_address) : nullptr;
  if (nvme) {
    disk.model = nvme->model;
    disk.serial = nvme->serial;
    if (!disk.model) context.missing(kField + ".model", Cause::absent, "see nvme.controllers[]");
    if (!disk.serial) context.missing(kField + ".serial", Cause::absent, "see nvme.controllers[]");
    context.missing(kField + ".vendor", Cause::not_applicable, "NVMe has no vendor text");
  } else {
    disk.vendor = first_of(context, kField + ".vendor", {base + "device/vendor"});
    disk.model =
        first_of(context, kField + ".model", {base + "device/model", base + "device/name"});
    disk.serial = scsi_serial(context.root, base + "device/vpd_pg80");
    if (!disk.serial) {
      disk.serial =
          first_of(context, kField + ".serial", {base + "serial", base + "device/serial"});
    }
  }
  disk.wwid = first_of(context, kField + ".wwid", {base + "wwid", base + "device/wwid"});
}

// SCSI INQUIRY names the vendor "NVMe" where the controller translates for a single drive. What a
// volume of several drives consists of, and flash drives under a vendor's own name, cannot be told.
std::optional<bool> behind_hba(ProbeContext& context, const BlockDevice& disk) {
  const std::string field = kField + ".nvme_behind_hba";
  if (!disk.driver) {
    context.missing(field, Cause::absent, "its controller's driver is not known");
    return std::nullopt;
  }
  if (!is_tri_mode(*disk.driver)) return false;
  if (disk.vendor == "NVMe") return true;
  if (disk.vendor == "ATA") return false;
  if (disk.queue && disk.queue->rotational == 1) return false;
  context.missing(field, Cause::absent,
                  "the controller does not tell the media behind a volume or a disk of this name",
                  "sys/block/" + disk.name + "/device/vendor");
  return std::nullopt;
}

// The nvme probe visited the queue of each namespace's first path already; one that hung there is
// not visited again.
const NvmeNamespace* read_before(const Inventory& inventory, const std::string& name) {
  for (const auto& each : inventory.nvme.namespaces) {
    const bool first_path = !each.paths.empty() && each.paths.front().name == name;
    if (each.name == name || first_path) return &each;
  }
  return nullptr;
}

void read_queue_of(ProbeContext& context, BlockDevice& disk) {
  const std::string field = kField + ".queue";
  if (const auto* known = read_before(context.inventory, disk.name)) {
    disk.queue = known->queue;
    disk.lba_bytes = known->lba_bytes;
    if (disk.queue) {
      for_each_field<BlockQueue>([&](const auto& each) {
        using Member = std::remove_cvref_t<decltype((*disk.queue).*each.member)>;
        if constexpr (is_optional<Member>::value) {
          if (!((*disk.queue).*each.member)) {
            context.missing(field + "." + std::string(each.name), Cause::absent,
                            "see nvme.namespaces[].queue");
          }
        }
      });
    } else {
      context.missing(field, Cause::absent, "see nvme.namespaces[].queue");
    }
  } else if (auto reading = read_queue(context, disk.name, "sys/block/" + disk.name, field)) {
    disk.queue = std::move(reading->queue);
    disk.lba_bytes = reading->lba_bytes;
    return;
  }
  if (!disk.lba_bytes) {
    context.missing(kField + ".lba_bytes", Cause::absent, "its queue was not read");
  }
}

BlockDevice read_disk(ProbeContext& context, const std::string& name, const OwnerMap& owners) {
  const std::string base = "sys/block/" + name + "/";
  BlockDevice disk;
  disk.name = name;
  disk.device_number = context.word(kField + ".device_number", base + "dev");
  read_hardware(context, disk);
  read_identity(context, disk);
  const auto sectors = context.integer(kField + ".size_bytes", base + "size");
  if (sectors) disk.size_bytes = *sectors * 512;
  disk.hidden = context.flag(kField + ".hidden", base + "hidden");
  read_queue_of(context, disk);
  disk.nvme_behind_hba = behind_hba(context, disk);
  std::string used = name;
  for (const auto& each : context.inventory.nvme.namespaces) {
    for (const auto& path : each.paths) {
      if (path.name == name) used = each.name;  // who uses the head uses the path
    }
  }
  const auto use = owners.use_of(used);
  disk.in_use = owners.in_use(use);
  disk.owners = use.owners;
  return disk;
}

void run(ProbeContext& context) {
  const OwnerMap owners(context.root, context.inventory.host.virtualization == "container");
  for (const auto& name : context.list("block", "sys/block")) {
    if (!is_disk(context.root, name)) continue;
    context.inventory.block.push_back(read_disk(context, name, owners));
  }
  context.enter("probe:block", "block");  // no device is in hand any more
}

bool available(const Inventory& inventory) {
  return !inventory.block.empty();
}

}  // namespace

extern const Probe kBlock{"block", "sys/block", run, available};

}  // namespace lk
