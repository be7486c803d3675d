// Kernel settings that matter to storage, and the other tools that set them.
#pragma once

#include "base/fields.hpp"

namespace lk {

struct IommuDomains {
  std::string type;  // "identity", "DMA", "DMA-FQ"
  std::int64_t groups = 0;

  static constexpr std::string_view kSchema = "IommuDomains";
  template <class Self = IommuDomains>
  static constexpr auto fields() {
    return std::tuple{
        field("type", &Self::type, "sys/kernel/iommu_groups/*/type"),
        field("groups", &Self::groups, "groups of this type"),
    };
  }
};

struct Kernel {
  std::optional<std::string> clocksource;
  std::vector<std::string> clocksources;
  std::optional<std::string> thp;
  std::map<std::string, std::optional<std::int64_t>> sysctls;
  std::map<std::string, std::optional<std::string>> parameters;
  std::vector<IommuDomains> iommu;
  std::map<std::string, std::string> vulnerabilities;

  static constexpr std::string_view kSchema = "Kernel";
  template <class Self = Kernel>
  static constexpr auto fields() {
    return std::tuple{
        field("clocksource", &Self::clocksource,
              "sys/devices/system/clocksource/clocksource0/current_clocksource"),
        field("clocksources", &Self::clocksources, "available_clocksource"),
        field("thp", &Self::thp,
              "always, madvise, never; sys/kernel/mm/transparent_hugepage/enabled"),
        field("sysctls", &Self::sysctls,
              "by name: vm.swappiness, fs.aio-max-nr, ...; null if absent"),
        field("parameters", &Self::parameters,
              "module parameters by name: nvme.poll_queues, nvme_core.multipath, ...; null if "
              "absent"),
        field("iommu", &Self::iommu, "IOMMU groups by domain type; empty without an IOMMU"),
        field("vulnerabilities", &Self::vulnerabilities,
              "sys/devices/system/cpu/vulnerabilities/*"),
    };
  }
};

// A service that writes the same settings as Lanekeeper (tuned, irqbalance, ...).
struct RivalTuner {
  std::string name;
  std::optional<bool> active;
  std::optional<std::string> profile;
  std::vector<std::string> owns;      // knob ids
  std::vector<std::string> evidence;  // "/run/tuned/tuned.pid"

  static constexpr std::string_view kSchema = "RivalTuner";
  template <class Self = RivalTuner>
  static constexpr auto fields() {
    return std::tuple{
        field("name", &Self::name, "tuned, irqbalance, power-profiles-daemon, tlp, ..."),
        field("active", &Self::active, "null if it cannot be told"),
        field("profile", &Self::profile, "its active profile where it has such"),
        field("owns", &Self::owns, "knobs that it writes"),
        field("evidence", &Self::evidence, "what was seen"),
    };
  }
};

enum class WorkloadKind { process, unit };
constexpr auto names(WorkloadKind) {
  return EnumNames<WorkloadKind, 2>{
      {{WorkloadKind::unit, "unit"}, {WorkloadKind::process, "process"}}};
}

enum class Via { device, file, vfio };
constexpr auto names(Via) {
  return EnumNames<Via, 3>{{{Via::device, "device"}, {Via::file, "file"}, {Via::vfio, "vfio"}}};
}

// Who holds a drive open now: the processes of one service, or one process. Descriptors only: what
// was mapped and closed, or registered with io_uring and closed, is not seen.
struct Workload {
  std::string drive;
  std::string name;
  WorkloadKind kind = WorkloadKind::process;
  std::vector<Via> via;
  std::int64_t processes = 0;
  std::optional<std::int64_t> pid;
  std::optional<std::string> cgroup;
  std::optional<CpuSet> cpus;
  std::optional<CpuSet> nodes;
  std::optional<std::map<std::string, std::int64_t>> memory_bytes;

  static constexpr std::string_view kSchema = "Workload";
  template <class Self = Workload>
  static constexpr auto fields() {
    return std::tuple{
        field("drive", &Self::drive, "the controller's id"),
        field("name", &Self::name, "systemd unit (a service or a scope), or the process's comm"),
        field("kind", &Self::kind, "unit or process"),
        field("via", &Self::via,
              "what is open: device (the disk, a partition, what is stacked on it, or ngXnY), file "
              "(of a file system on it; units only, and not on the boot drive), vfio"),
        field("processes", &Self::processes, "how many processes hold it open"),
        field("pid", &Self::pid, "of a process; null for a unit"),
        field("cgroup", &Self::cgroup, "proc/<pid>/cgroup"),
        field("cpus", &Self::cpus,
              "CPUs that any of their threads may run on; Cpus_allowed_list of "
              "proc/<pid>/task/*/status"),
        field("nodes", &Self::nodes,
              "nodes that they may take memory from; Mems_allowed_list (a policy that a process "
              "set for itself is not in it)"),
        field("memory_bytes", &Self::memory_bytes,
              "where the unit's memory is, by node: anon, file and huge pages; memory.numa_stat "
              "and hugetlb.*.numa_stat of its cgroup"),
    };
  }
};

}  // namespace lk
