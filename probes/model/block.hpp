// Disks and their request queues. kernel.md 2.6 says what each attribute means.
#pragma once

#include "base/fields.hpp"

namespace lk {

struct BlockQueue {
  std::string device;  // whose queue/ this is: the path "nvme0c0n1" of a multipath head
  std::optional<std::string> scheduler;
  std::vector<std::string> schedulers;
  std::optional<std::int64_t> nr_requests;
  std::optional<std::int64_t> hardware_tags;
  std::optional<std::int64_t> nomerges;
  std::optional<std::int64_t> rq_affinity;
  std::optional<std::int64_t> wbt_lat_usec;
  std::optional<std::int64_t> max_sectors_kb;
  std::optional<std::int64_t> max_hw_sectors_kb;
  std::optional<std::int64_t> read_ahead_kb;
  std::optional<std::int64_t> io_poll;
  std::optional<std::int64_t> iostats;
  std::optional<std::string> write_cache;
  std::optional<std::int64_t> rotational;

  static constexpr std::string_view kSchema = "BlockQueue";
  template <class Self = BlockQueue>
  static constexpr auto fields() {
    return std::tuple{
        field("device", &Self::device, "the device whose queue/ was read"),
        field("scheduler", &Self::scheduler, "the one in use; queue/scheduler"),
        field("schedulers", &Self::schedulers, "those offered; queue/scheduler"),
        field("nr_requests", &Self::nr_requests, "queue/nr_requests"),
        field("hardware_tags", &Self::hardware_tags, "tags of one hardware queue; mq/0/nr_tags"),
        field("nomerges", &Self::nomerges, "queue/nomerges"),
        field("rq_affinity", &Self::rq_affinity, "queue/rq_affinity"),
        field("wbt_lat_usec", &Self::wbt_lat_usec, "queue/wbt_lat_usec; EINVAL where unused"),
        field("max_sectors_kb", &Self::max_sectors_kb, "queue/max_sectors_kb"),
        field("max_hw_sectors_kb", &Self::max_hw_sectors_kb, "queue/max_hw_sectors_kb"),
        field("read_ahead_kb", &Self::read_ahead_kb, "queue/read_ahead_kb"),
        field("io_poll", &Self::io_poll, "1 if poll queues exist; queue/io_poll"),
        field("iostats", &Self::iostats, "queue/iostats"),
        field("write_cache", &Self::write_cache,
              "write back or write through: the kernel's belief; queue/write_cache"),
        field("rotational", &Self::rotational, "queue/rotational"),
    };
  }
};

enum class OwnerKind { filesystem, swap, lvm, md, dm, block, zfs, ceph, nvmet, lio, process, vfio };
constexpr auto names(OwnerKind) {
  using K = OwnerKind;
  return EnumNames<K, 12>{{{K::filesystem, "filesystem"},
                           {K::swap, "swap"},
                           {K::lvm, "lvm"},
                           {K::md, "md"},
                           {K::dm, "dm"},
                           {K::block, "block"},
                           {K::zfs, "zfs"},
                           {K::ceph, "ceph"},
                           {K::nvmet, "nvmet"},
                           {K::lio, "lio"},
                           {K::process, "process"},
                           {K::vfio, "vfio"}}};
}

struct Owner {
  OwnerKind kind = OwnerKind::filesystem;
  std::string name;

  static constexpr std::string_view kSchema = "Owner";
  template <class Self = Owner>
  static constexpr auto fields() {
    return std::tuple{
        field("kind", &Self::kind,
              "what uses it: filesystem, swap, lvm, md, dm (multipath, crypt, ...), block (another "
              "device stacked on it: bcache, drbd), zfs, ceph, nvmet and lio (exported by the "
              "kernel), process (holds it open), vfio (belongs to a virtual machine or to SPDK)"),
        field("name", &Self::name,
              "mount point, swap device, device, pool, exported subsystem, unit or process"),
    };
  }
};

// From /sys and /proc only: signatures and open descriptors are looked up when a benchmark asks.
enum class InUseVerdict { unknown, free, in_use };
constexpr auto names(InUseVerdict) {
  return EnumNames<InUseVerdict, 3>{{{InUseVerdict::free, "free"},
                                     {InUseVerdict::in_use, "in_use"},
                                     {InUseVerdict::unknown, "unknown"}}};
}

struct InUse {
  InUseVerdict verdict = InUseVerdict::unknown;
  std::vector<std::string> reasons;

  static constexpr std::string_view kSchema = "InUse";
  template <class Self = InUse>
  static constexpr auto fields() {
    return std::tuple{
        field("verdict", &Self::verdict,
              "free means only that mounts, swap, stacked devices, exports and the processes that "
              "could be looked at show no user; unknown if a source was missing"),
        field("reasons", &Self::reasons, "what uses it, or what could not be read"),
    };
  }
};

struct BlockDevice {
  std::string name;
  std::optional<std::string> device_number;  // "259:0"
  std::optional<std::string> driver;         // nvme, megaraid_sas, mpi3mr, virtio_blk, ...
  std::optional<std::string> pci_address;    // of the controller or HBA
  std::optional<std::string> vendor;
  std::optional<std::string> model;
  std::optional<std::string> serial;
  std::optional<std::string> wwid;
  std::optional<std::int64_t> size_bytes;
  std::optional<std::int64_t> lba_bytes;
  std::optional<bool> hidden;
  std::optional<bool> nvme_behind_hba;
  std::optional<BlockQueue> queue;
  std::vector<Owner> owners;
  InUse in_use;

  static constexpr std::string_view kSchema = "BlockDevice";
  template <class Self = BlockDevice>
  static constexpr auto fields() {
    return std::tuple{
        field("name", &Self::name, "sys/block/<name>"),
        field("device_number", &Self::device_number, "major:minor; dev"),
        field("driver", &Self::driver, "of the controller that it hangs on"),
        field("pci_address", &Self::pci_address, "of that controller"),
        field("vendor", &Self::vendor, "device/vendor"),
        field("model", &Self::model, "device/model"),
        field("serial", &Self::serial, "device/serial, serial or device/vpd_pg80"),
        field("wwid", &Self::wwid, "wwid or device/wwid"),
        field("size_bytes", &Self::size_bytes, "size, which counts units of 512 bytes"),
        field("lba_bytes", &Self::lba_bytes, "queue/logical_block_size"),
        field("hidden", &Self::hidden, "a path of a multipath head; hidden"),
        field("nvme_behind_hba", &Self::nvme_behind_hba,
              "NVMe media that a RAID controller or HBA shows as a SCSI disk: no queues, no ASPM "
              "and no APST of its own to be seen; null if it cannot be told"),
        field("queue", &Self::queue, "of the device that has one"),
        field("owners", &Self::owners, "who uses it or a partition of it"),
        field("in_use", &Self::in_use, "whether /sys and /proc show a user"),
    };
  }
};

}  // namespace lk
