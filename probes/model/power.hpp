// CPU frequency, idle states and uncore frequency. kernel.md 3 to 5.
#pragma once

#include "base/fields.hpp"

namespace lk {

struct CpufreqPolicy {
  std::int64_t id = 0;
  CpuSet cpus;  // online CPUs it governs
  std::optional<std::string> driver;
  std::optional<std::string> governor;
  std::vector<std::string> governors;
  std::optional<std::string> epp;
  std::vector<std::string> epps;
  std::optional<std::int64_t> min_khz;
  std::optional<std::int64_t> max_khz;
  std::optional<std::int64_t> hardware_min_khz;
  std::optional<std::int64_t> hardware_max_khz;
  std::optional<std::int64_t> base_khz;
  std::optional<bool> boost;

  static constexpr std::string_view kSchema = "CpufreqPolicy";
  template <class Self = CpufreqPolicy>
  static constexpr auto fields() {
    return std::tuple{
        field("id", &Self::id, "N of policyN"),
        field("cpus", &Self::cpus, "online CPUs it governs; affected_cpus"),
        field("driver", &Self::driver, "scaling_driver"),
        field("governor", &Self::governor, "scaling_governor"),
        field("governors", &Self::governors, "those offered; scaling_available_governors"),
        field("epp", &Self::epp, "name or 0 to 255; energy_performance_preference"),
        field("epps", &Self::epps, "those offered; energy_performance_available_preferences"),
        field("min_khz", &Self::min_khz, "effective lower limit; scaling_min_freq"),
        field("max_khz", &Self::max_khz, "effective upper limit; scaling_max_freq"),
        field("hardware_min_khz", &Self::hardware_min_khz, "cpuinfo_min_freq"),
        field("hardware_max_khz", &Self::hardware_max_khz, "cpuinfo_max_freq"),
        field("base_khz", &Self::base_khz, "base_frequency"),
        field("boost", &Self::boost, "per policy; boost"),
    };
  }
};

struct EnergyBias {
  CpuSet cpus;
  std::int64_t value = 0;

  static constexpr std::string_view kSchema = "EnergyBias";
  template <class Self = EnergyBias>
  static constexpr auto fields() {
    return std::tuple{
        field("cpus", &Self::cpus, "CPUs with this value"),
        field("value", &Self::value, "0 (performance) to 15; power/energy_perf_bias"),
    };
  }
};

struct Turbo {
  std::optional<bool> enabled;
  std::optional<std::string> path;  // the file that tells

  static constexpr std::string_view kSchema = "Turbo";
  template <class Self = Turbo>
  static constexpr auto fields() {
    return std::tuple{
        field("enabled", &Self::enabled, "intel_pstate/no_turbo or cpufreq/boost; null if neither"),
        field("path", &Self::path, "the file that tells"),
    };
  }
};

struct Cpufreq {
  std::optional<std::string> driver;
  std::optional<std::string> mode;
  Turbo turbo;
  std::vector<CpufreqPolicy> policies;
  std::vector<EnergyBias> epb;

  static constexpr std::string_view kSchema = "Cpufreq";
  template <class Self = Cpufreq>
  static constexpr auto fields() {
    return std::tuple{
        field("driver", &Self::driver,
              "intel_pstate, intel_cpufreq, acpi-cpufreq, amd-pstate, "
              "amd-pstate-epp, ...; mixed if policies differ"),
        field("mode", &Self::mode,
              "active, passive, guided or off; intel_pstate/status, "
              "amd_pstate/status"),
        field("turbo", &Self::turbo, "frequencies above the base"),
        field("policies", &Self::policies, "policies with an online CPU"),
        field("epb", &Self::epb, "energy performance bias, CPUs of one value together"),
    };
  }
};

struct IdleState {
  std::int64_t index = 0;
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::optional<std::int64_t> latency_us;
  std::optional<std::int64_t> residency_us;
  std::optional<bool> disabled;
  std::optional<std::string> default_status;

  static constexpr std::string_view kSchema = "IdleState";
  template <class Self = IdleState>
  static constexpr auto fields() {
    return std::tuple{
        field("index", &Self::index, "N of stateN; deeper states have higher numbers"),
        field("name", &Self::name, "name"),
        field("description", &Self::description, "desc"),
        field("latency_us", &Self::latency_us, "exit latency; latency"),
        field("residency_us", &Self::residency_us, "target residency; residency"),
        field("disabled", &Self::disabled, "by the user; disable"),
        field("default_status", &Self::default_status, "enabled or disabled; default_status"),
    };
  }
};

// CPUs whose states are all the same.
struct IdleGroup {
  CpuSet cpus;
  std::vector<IdleState> states;

  static constexpr std::string_view kSchema = "IdleGroup";
  template <class Self = IdleGroup>
  static constexpr auto fields() {
    return std::tuple{
        field("cpus", &Self::cpus, "online CPUs with these states"),
        field("states", &Self::states, "shallowest first; cpu*/cpuidle/state*"),
    };
  }
};

// pm_qos_resume_latency_us, whose zero is inverted: "0" no limit, "n/a" no latency at all.
struct ResumeLimit {
  CpuSet cpus;
  std::optional<std::int64_t> limit_us;

  static constexpr std::string_view kSchema = "ResumeLimit";
  template <class Self = ResumeLimit>
  static constexpr auto fields() {
    return std::tuple{
        field("cpus", &Self::cpus, "CPUs with this limit"),
        field("limit_us", &Self::limit_us,
              "0 allows polling only; null: no limit; "
              "power/pm_qos_resume_latency_us"),
    };
  }
};

struct Cpuidle {
  std::optional<std::string> driver;
  std::optional<std::string> governor;
  std::vector<IdleGroup> groups;
  std::optional<std::int64_t> latency_limit_us;
  std::vector<std::string> holders;
  std::vector<ResumeLimit> resume_limits;

  static constexpr std::string_view kSchema = "Cpuidle";
  template <class Self = Cpuidle>
  static constexpr auto fields() {
    return std::tuple{
        field("driver", &Self::driver, "intel_idle, acpi_idle, haltpoll, none; current_driver"),
        field("governor", &Self::governor, "menu, teo, ladder, haltpoll; current_governor"),
        field("groups", &Self::groups, "CPUs of the same states together"),
        field("latency_limit_us", &Self::latency_limit_us,
              "host-wide PM QoS limit, 2000000000 for none; dev/cpu_dma_latency"),
        field("holders", &Self::holders,
              "processes that hold /dev/cpu_dma_latency open: "
              "\"<pid> <comm>\""),
        field("resume_limits", &Self::resume_limits, "per-CPU limits, CPUs of one limit together"),
    };
  }
};

struct UncoreDomain {
  std::string id;
  std::optional<std::int64_t> min_khz;
  std::optional<std::int64_t> max_khz;
  std::optional<std::int64_t> initial_min_khz;
  std::optional<std::int64_t> initial_max_khz;
  std::optional<std::int64_t> package;
  std::string directory;

  static constexpr std::string_view kSchema = "UncoreDomain";
  template <class Self = UncoreDomain>
  static constexpr auto fields() {
    return std::tuple{
        field("id", &Self::id,
              "package_00_die_00 (where clusters exist: all clusters of it together), or package, "
              "domain and fabric cluster"),
        field("min_khz", &Self::min_khz, "min_freq_khz"),
        field("max_khz", &Self::max_khz, "max_freq_khz"),
        field("initial_min_khz", &Self::initial_min_khz, "initial_min_freq_khz"),
        field("initial_max_khz", &Self::initial_max_khz, "initial_max_freq_khz"),
        field("package", &Self::package, "the package it belongs to"),
        field("directory", &Self::directory,
              "its name in sys/devices/system/cpu/intel_uncore_frequency; uncoreNN are numbered "
              "anew at each boot"),
    };
  }
};

}  // namespace lk
