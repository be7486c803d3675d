// NVMe controllers, namespaces, and how they hang on the host.
#pragma once

#include "probes/model/block.hpp"
#include "probes/model/pci.hpp"

namespace lk {

enum class NodeSource { unknown, device, bridge, only_node, override_, kernel_default };
constexpr auto names(NodeSource) {
  using S = NodeSource;
  return EnumNames<S, 6>{{{S::device, "device"},
                          {S::bridge, "bridge"},
                          {S::only_node, "only_node"},
                          {S::override_, "override"},
                          {S::kernel_default, "kernel_default"},
                          {S::unknown, "unknown"}}};
}

enum class Confidence { low, high };
constexpr auto names(Confidence) {
  return EnumNames<Confidence, 2>{{{Confidence::high, "high"}, {Confidence::low, "low"}}};
}

enum class Role { unknown, boot, data };
constexpr auto names(Role) {
  return EnumNames<Role, 3>{
      {{Role::boot, "boot"}, {Role::data, "data"}, {Role::unknown, "unknown"}}};
}

// One I/O queue: mq/N of the path device, and its interrupt.
struct NvmeQueue {
  std::int64_t queue = 0;  // as the driver counts: 1 is the first I/O queue, 0 the admin queue
  std::optional<CpuSet> cpus;
  std::optional<std::int64_t> irq;
  std::optional<CpuSet> affinity;
  std::optional<CpuSet> effective_cpus;
  std::optional<bool> managed;
  std::optional<bool> local;

  static constexpr std::string_view kSchema = "NvmeQueue";
  template <class Self = NvmeQueue>
  static constexpr auto fields() {
    return std::tuple{
        field("queue", &Self::queue, "the driver's number; hctx N is queue N+1"),
        field("cpus", &Self::cpus, "CPUs that submit to it; mq/N/cpuM"),
        field("irq", &Self::irq, "its interrupt; null for a poll queue"),
        field("affinity", &Self::affinity, "proc/irq/N/smp_affinity_list"),
        field("effective_cpus", &Self::effective_cpus,
              "where the interrupt is delivered; proc/irq/N/effective_affinity_list"),
        field("managed", &Self::managed,
              "the kernel owns the affinity; nothing was written "
              "to find out"),
        field("local", &Self::local,
              "delivered to a CPU that submits to the queue; null where the interrupt never fired"),
    };
  }
};

struct NvmeController {
  std::string id;
  std::optional<std::string> name;
  std::optional<std::string> driver;
  std::optional<std::string> transport;
  std::optional<std::string> pci_address;
  std::optional<std::string> slot;
  std::optional<std::string> state;
  std::optional<std::string> vendor_id;
  std::optional<std::string> device_id;
  std::optional<std::string> model;
  std::optional<std::string> serial;
  std::optional<std::string> firmware;
  std::optional<std::string> subsystem;
  std::optional<std::int64_t> controller_id;
  std::optional<std::string> address;
  std::optional<std::int64_t> numa_node;
  std::optional<std::int64_t> effective_node;
  NodeSource node_source = NodeSource::unknown;
  Confidence node_confidence = Confidence::low;
  std::optional<CpuSet> local_cpus;
  std::vector<PathElement> path;
  DriveLink link;
  LinkAspm aspm;
  std::optional<std::string> apst;
  std::optional<double> temperature_c;
  std::optional<std::int64_t> queue_count;
  std::vector<NvmeQueue> queues;
  Role role = Role::unknown;
  std::vector<Owner> owners;

  static constexpr std::string_view kSchema = "NvmeController";
  template <class Self = NvmeController>
  static constexpr auto fields() {
    return std::tuple{
        field("id", &Self::id, "PCI address, or \"<subsystem NQN>/<controller id>\" for fabrics"),
        field("name", &Self::name, "nvme0; null if the function was only seen on PCI"),
        field("driver", &Self::driver,
              "nvme, vfio-pci, uio_pci_generic, ...; null if none is bound"),
        field("transport", &Self::transport, "pcie, tcp, rdma, fc, loop"),
        field("pci_address", &Self::pci_address, "null for fabrics"),
        field("slot", &Self::slot,
              "physical slot: sys/bus/pci/slots, else the firmware's slot table (SMBIOS type 9) "
              "or its label of the function"),
        field("state", &Self::state, "live, resetting, connecting, deleting, dead"),
        field("vendor_id", &Self::vendor_id, "0x8086; vendor of the PCI function"),
        field("device_id", &Self::device_id, "0x0a54; device of the PCI function"),
        field("model", &Self::model, "sys/class/nvme/*/model"),
        field("serial", &Self::serial, "sys/class/nvme/*/serial"),
        field("firmware", &Self::firmware, "sys/class/nvme/*/firmware_rev"),
        field("subsystem", &Self::subsystem, "NQN; sys/class/nvme/*/subsysnqn"),
        field("controller_id", &Self::controller_id, "sys/class/nvme/*/cntlid"),
        field("address", &Self::address, "as the driver gives it; sys/class/nvme/*/address"),
        field("numa_node", &Self::numa_node, "as reported, may be -1"),
        field("effective_node", &Self::effective_node, "null if unknown"),
        field("node_source", &Self::node_source,
              "device (firmware told), bridge (a port above knows), only_node, override (config), "
              "kernel_default (an old kernel named the first node for want of another), unknown"),
        field("node_confidence", &Self::node_confidence, "high or low"),
        field("local_cpus", &Self::local_cpus,
              "online CPUs of the effective node; null if unknown"),
        field("path", &Self::path, "root port to drive"),
        field("link", &Self::link, "the drive's link against what the path can do"),
        field("aspm", &Self::aspm, "of the drive's link"),
        field("apst", &Self::apst,
              "latency tolerance in us, any or auto; "
              "power/pm_qos_latency_tolerance_us"),
        field("temperature_c", &Self::temperature_c, "composite temperature; hwmon"),
        field("queue_count", &Self::queue_count, "queues with the admin queue; queue_count"),
        field("queues", &Self::queues, "I/O queues"),
        field("role", &Self::role,
              "boot if /, /usr, /boot, /boot/efi or swap of the running system is on it, through "
              "partitions, LVM, md and dm; data if not; unknown if that cannot be told"),
        field("owners", &Self::owners, "who uses its namespaces"),
    };
  }
};

struct NamespacePath {
  std::string name;        // "nvme0c0n1", or the namespace itself where there is no head
  std::string controller;  // "nvme0"
  std::optional<std::string> ana_state;

  static constexpr std::string_view kSchema = "NamespacePath";
  template <class Self = NamespacePath>
  static constexpr auto fields() {
    return std::tuple{
        field("name", &Self::name, "the path's block device"),
        field("controller", &Self::controller, "its controller's name"),
        field("ana_state", &Self::ana_state,
              "optimized, non-optimized, inaccessible, "
              "persistent-loss, change; null without ANA"),
    };
  }
};

struct NvmeNamespace {
  std::string name;
  std::optional<std::string> wwid;
  std::optional<std::int64_t> size_bytes;
  std::optional<std::int64_t> lba_bytes;
  std::optional<bool> shared;
  std::vector<NamespacePath> paths;
  std::optional<BlockQueue> queue;
  InUse in_use;

  static constexpr std::string_view kSchema = "NvmeNamespace";
  template <class Self = NvmeNamespace>
  static constexpr auto fields() {
    return std::tuple{
        field("name", &Self::name, "nvme0n1"),
        field("wwid", &Self::wwid, "sys/block/*/wwid"),
        field("size_bytes", &Self::size_bytes, "size, which counts units of 512 bytes"),
        field("lba_bytes", &Self::lba_bytes, "queue/logical_block_size"),
        field("shared", &Self::shared, "more than one controller can reach it: a multipath head"),
        field("paths", &Self::paths, "through which controllers"),
        field("queue", &Self::queue, "of the device that has one: the first path of a head"),
        field("in_use", &Self::in_use, "whether /sys and /proc show a user"),
    };
  }
};

struct Nvme {
  std::vector<NvmeController> controllers;
  std::vector<NvmeNamespace> namespaces;

  static constexpr std::string_view kSchema = "Nvme";
  template <class Self = Nvme>
  static constexpr auto fields() {
    return std::tuple{
        field("controllers", &Self::controllers, "by PCI address, then fabrics by id"),
        field("namespaces", &Self::namespaces, "by name"),
    };
  }
};

}  // namespace lk
