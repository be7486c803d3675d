// Kernel settings that matter to storage, and the other tools that set them.
#pragma once

#include "base/fields.hpp"

namespace lk {

struct IommuDomains {
  std::string type;  // "identity", "DMA", "DMA-FQ"
  std::int64_t groups = 0;

  static constexpr std::string_view kSchema = "IommuDomains";
  static constexpr auto fields() {
    return std::tuple{
        field("type", &IommuDomains::type, "sys/kernel/iommu_groups/*/type"),
        field("groups", &IommuDomains::groups, "groups of this type"),
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
  static constexpr auto fields() {
    using K = Kernel;
    return std::tuple{
        field("clocksource", &K::clocksource,
              "sys/devices/system/clocksource/clocksource0/current_clocksource"),
        field("clocksources", &K::clocksources, "available_clocksource"),
        field("thp", &K::thp, "always, madvise, never; sys/kernel/mm/transparent_hugepage/enabled"),
        field("sysctls", &K::sysctls, "by name: vm.swappiness, fs.aio-max-nr, ...; null if absent"),
        field("parameters", &K::parameters,
              "module parameters by name: nvme.poll_queues, nvme_core.multipath, ...; null if "
              "absent"),
        field("iommu", &K::iommu, "IOMMU groups by domain type; empty without an IOMMU"),
        field("vulnerabilities", &K::vulnerabilities, "sys/devices/system/cpu/vulnerabilities/*"),
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
  static constexpr auto fields() {
    using R = RivalTuner;
    return std::tuple{
        field("name", &R::name, "tuned, irqbalance, power-profiles-daemon, tlp, ..."),
        field("active", &R::active, "null if it cannot be told"),
        field("profile", &R::profile, "its active profile where it has such"),
        field("owns", &R::owns, "knobs that it writes"),
        field("evidence", &R::evidence, "what was seen"),
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
  static constexpr auto fields() {
    using W = Workload;
    return std::tuple{
        field("drive", &W::drive, "controller id"),
        field("name", &W::name, "unit or process"),
        field("cpus", &W::cpus, "CPUs it may run on"),
        field("nodes", &W::nodes, "nodes it may take memory from"),
    };
  }
};

}  // namespace lk
