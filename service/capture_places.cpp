#include <algorithm>
#include <cctype>

#include "base/text.hpp"
#include "probes/exports.hpp"
#include "probes/nvme_slots.hpp"
#include "probes/pci_config.hpp"
#include "probes/pci_path.hpp"
#include "probes/zfs.hpp"
#include "service/capture_processes.hpp"
#include "service/capture_walk.hpp"

namespace lk {

namespace {

constexpr std::size_t kConfigSpace = 256;  // all that the probes read; the kernel gives users 64

void processors(CaptureWalk& walk) {
  walk.tree("sys/devices/system/cpu", 5);
  walk.tree("sys/devices/system/node", 4);
  walk.tree("sys/devices/system/clocksource", 1);
  walk.tree("sys/kernel/mm/transparent_hugepage", 1);
  walk.tree("sys/kernel/mm/hugepages", 1);
}

// Registers are left alone where reading them would wake the function or a port above it, and where
// a program in user space has it.
bool may_read_registers(const Root& root, const std::string& real) {
  const auto functions = pci_functions(real);
  return !is_user_space_driver(driver_of(root, real)) &&
         std::all_of(functions.begin(), functions.end(),
                     [&](const std::string& each) { return asleep(root, each).empty(); });
}

void pci_function(CaptureWalk& walk, const std::string& path) {
  if (!walk.link(path)) return;
  const auto real = walk.root().real_path(path);
  if (!real) return;
  walk.folder(*real);
  walk.files(*real,
             {"vendor", "device", "class", "revision", "subsystem_vendor", "subsystem_device",
              "numa_node", "local_cpus", "local_cpulist", "max_link_speed", "max_link_width", "irq",
              "enable", "d3cold_allowed", "power_state", "label", "acpi_index",
              "secondary_bus_number", "subordinate_bus_number"});
  if (may_read_registers(walk.root(), *real)) {
    walk.files(*real, {"current_link_speed", "current_link_width"});
    walk.start(*real + "/config", kConfigSpace);
  }
  for (const char* name : {"driver", "subsystem", "iommu_group", "physfn", "firmware_node"}) {
    walk.link(*real + '/' + name);
  }
  for (const char* name : {"power", "link", "msi_irqs"}) walk.tree(*real + '/' + name, 0);
  for (const char* name : {"vfio-dev", "uio"}) {
    for (const auto& each : walk.list(*real + '/' + name)) {
      walk.folder(*real + '/' + name + '/' + each);
    }
  }
}

void pci(CaptureWalk& walk) {
  walk.folder("sys/bus/pci/devices");
  for (const auto& name : walk.list("sys/bus/pci/devices")) {
    pci_function(walk, "sys/bus/pci/devices/" + name);
  }
  if (walk.is_folder("sys/bus/pci/slots")) walk.folder("sys/bus/pci/slots");
  for (const auto& name : walk.list("sys/bus/pci/slots")) {
    walk.file("sys/bus/pci/slots/" + name + "/address");
  }
}

void disks(CaptureWalk& walk) {
  for (const std::string folder : {"sys/class/nvme", "sys/class/nvme-subsystem",
                                   "sys/class/nvme-generic", "sys/block", "sys/class/block"}) {
    if (walk.is_folder(folder)) walk.folder(folder);
    for (const auto& name : walk.list(folder)) walk.device(folder + '/' + name, 6);
  }
  walk.tree("sys/fs/btrfs", 2);
}

void interrupts(CaptureWalk& walk) {
  walk.tree("sys/kernel/irq", 1);
  walk.tree("proc/irq", 2);
  walk.table("proc/interrupts");
}

// A container's kind is told by one variable; the others are nobody's business.
void first_process(CaptureWalk& walk) {
  walk.table("proc/1/mountinfo");
  const auto environment = walk.root().read_start("proc/1/environ", Root::kAttributeLimit);
  if (!environment) return;
  std::string kept;
  for (const auto entry : split(*environment, '\0')) {
    if (entry.starts_with("container=")) kept += std::string(entry) + '\0';
  }
  walk.text("proc/1/environ", kept);
}

void settings(CaptureWalk& walk) {
  for (const std::string folder : {"proc/sys/vm", "proc/sys/kernel", "proc/sys/fs"}) {
    for (const auto& name : walk.list(folder)) {
      static const std::set<std::string> kOther{
          "core_pattern", "domainname",   "modprobe",    "hotplug",  "ns_last_pid", "stat_refresh",
          "cad_pid",      "dentry-state", "inode-state", "inode-nr", "file-nr"};
      const auto path = folder + '/' + name;
      const auto mode = walk.root().mode(path);
      if (!kOther.contains(name) && mode && (*mode & 0444U) != 0) walk.file(path);
    }
  }
  walk.file("proc/sys/kernel/random/boot_id");
  if (walk.is_folder("sys/module")) walk.folder("sys/module");
  for (const std::string name : {"nvme", "nvme_core", "nvme_fabrics", "nvme_tcp", "nvme_rdma",
                                 "vmd", "pcie_aspm", "intel_idle", "processor", "workqueue",
                                 "scsi_mod", "megaraid_sas", "mpt3sas", "mpi3mr", "vfio_pci"}) {
    if (walk.is_folder("sys/module/" + name)) walk.folder("sys/module/" + name);
    walk.tree("sys/module/" + name + "/parameters", 0);
  }
}

void machine(CaptureWalk& walk) {
  walk.link("sys/class/dmi/id");
  const auto dmi = walk.root().real_path("sys/class/dmi/id");
  if (dmi) {
    walk.files(*dmi, {"sys_vendor", "product_name", "product_family", "product_version",
                      "bios_vendor", "bios_version", "bios_date", "bios_release", "board_vendor",
                      "board_name", "chassis_vendor", "chassis_type"});
  }
  for (const auto& group : walk.list("sys/kernel/iommu_groups")) {
    walk.tree("sys/kernel/iommu_groups/" + group, 1);
  }
  // Of the firmware's tables only the slots: the rest holds serial numbers.
  if (const auto table = walk.root().read(kSmbiosTables, Root::kTableLimit)) {
    walk.text(kSmbiosTables, smbios_slots_only(*table));
  }
  walk.file("sys/kernel/security/lockdown");
  walk.file("sys/hypervisor/type");
  walk.file("sys/firmware/acpi/tables/FACP");
  walk.file("proc/device-tree/hypervisor/compatible");
  walk.file("proc/xen/capabilities");
  for (const char* name : {"cpuinfo", "meminfo", "cmdline", "swaps", "mdstat", "version", "sysinfo",
                           "mounts", "self/mounts", "self/mountinfo", "self/status"}) {
    walk.table("proc/" + std::string(name));
  }
}

// Devices that the kernel serves to others, and what tells a pool's disks.
void exports(CaptureWalk& walk) {
  std::vector<std::string> gaps;
  for (const auto& each : read_exports(walk.root(), gaps)) {
    walk.text(each.attribute, each.path + '\n');
    walk.text(each.attribute.substr(0, each.attribute.rfind('/')) + "/enable", "1\n");
    walk.link(each.path.substr(1));
  }
  const auto pools = zfs_pools(walk.root());
  for (const auto& pool : pools) walk.folder("proc/spl/kstat/zfs/" + pool);
  if (pools.empty()) return;
  for (const auto& name : walk.list("run/udev/data")) {
    const auto record = walk.root().read("run/udev/data/" + name);
    if (!name.starts_with('b') || !record) continue;
    if (const auto kept = zfs_lines(*record); !kept.empty()) {
      walk.text("run/udev/data/" + name, kept);
    }
  }
}

// That they are there says that this is a container; what is in them is nobody's business.
void container_marks(CaptureWalk& walk) {
  for (const char* path : {".dockerenv", "run/.containerenv", "run/secrets/kubernetes.io"}) {
    if (walk.is_folder(path)) {
      walk.folder(path);
    } else if (walk.root().exists(path)) {
      walk.text(path, "");
    }
  }
}

void rivals(CaptureWalk& walk) {
  for (const char* path :
       {"etc/tuned/active_profile", "etc/tuned/profile_mode", "etc/tuned/ppd.conf", "etc/tlp.conf",
        "etc/auto-cpufreq.conf", "etc/numad.conf", "etc/laptop-mode/laptop-mode.conf",
        "run/tuned/tuned.pid", "run/laptop-mode-tools/enabled", "run/systemd/container"}) {
    walk.file(path);
  }
  if (walk.is_folder("run/tlp")) walk.folder("run/tlp");
  for (const auto& name : walk.list("run/systemd/units")) {
    // Instances of templates carry names of users and sites.
    if (name.ends_with(".service") && name.find('@') == name.npos) {
      walk.link("run/systemd/units/" + name);
    }
  }
}

}  // namespace

void walk_host(const Root& root, const CaptureSink& sink) {
  CaptureWalk walk(root, sink);
  sink.announce("processors");
  processors(walk);
  sink.announce("pci");
  pci(walk);
  disks(walk);
  sink.announce("interrupts");
  interrupts(walk);
  sink.announce("machine");
  machine(walk);
  container_marks(walk);
  sink.announce("settings");
  settings(walk);
  sink.announce("rivals");
  rivals(walk);
  sink.announce("processes");
  first_process(walk);
  capture_processes(walk);
  sink.announce("exports");
  exports(walk);
}

}  // namespace lk
