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

// Who uses a drive: not read yet.
struct Workload {
  std::string drive;
  std::string name;
  std::optional<CpuSet> cpus;
  std::optional<CpuSet> nodes;

  static constexpr std::string_view kSchema = "Workload";
  template <class Self = Workload>
  static constexpr auto fields() {
    return std::tuple{
        field("drive", &Self::drive, "controller id"),
        field("name", &Self::name, "unit or process"),
        field("cpus", &Self::cpus, "CPUs it may run on"),
        field("nodes", &Self::nodes, "nodes it may take memory from"),
    };
  }
};

}  // namespace lk
