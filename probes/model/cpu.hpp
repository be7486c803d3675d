// Processors: which exist, which run, how they are grouped.
#pragma once

#include "base/fields.hpp"

namespace lk {

// How CPU numbers run over the nodes (kernel.md 1.5; the firmware's MADT order).
enum class Enumeration { unknown, linear, round_robin, mixed };
constexpr auto names(Enumeration) {
  return EnumNames<Enumeration, 4>{{{Enumeration::linear, "linear"},
                                    {Enumeration::round_robin, "round_robin"},
                                    {Enumeration::mixed, "mixed"},
                                    {Enumeration::unknown, "unknown"}}};
}

struct Package {
  std::int64_t id = -1;  // physical_package_id; -1 where the architecture defines none
  CpuSet cpus;           // online
  std::int64_t cores = 0;

  static constexpr std::string_view kSchema = "Package";
  template <class Self = Package>
  static constexpr auto fields() {
    return std::tuple{
        field("id", &Self::id, "physical_package_id; -1 where the architecture has none"),
        field("cpus", &Self::cpus, "online CPUs of the package; package_cpus"),
        field("cores", &Self::cores, "cores with an online CPU; core_cpus"),
    };
  }
};

struct L3Cache {
  CpuSet cpus;
  std::optional<std::int64_t> size_bytes;

  static constexpr std::string_view kSchema = "L3Cache";
  template <class Self = L3Cache>
  static constexpr auto fields() {
    return std::tuple{
        field("cpus", &Self::cpus, "CPUs that share it; cache/index*/shared_cpu_map"),
        field("size_bytes", &Self::size_bytes, "cache/index*/size"),
    };
  }
};

struct Cpu {
  std::optional<CpuSet> online;
  std::optional<CpuSet> offline;
  std::optional<CpuSet> present;
  std::optional<CpuSet> isolated;
  std::optional<CpuSet> nohz_full;
  std::optional<CpuSet> allowed;
  std::optional<std::int64_t> packages;
  std::optional<std::int64_t> cores;
  std::optional<std::int64_t> threads;
  std::vector<std::int64_t> threads_per_core;
  std::optional<std::string> smt;
  std::optional<std::string> vendor;
  std::optional<std::string> model;
  std::optional<std::int64_t> family;
  std::optional<std::int64_t> model_number;
  Enumeration enumeration = Enumeration::unknown;
  std::vector<Package> package_list;
  std::vector<CpuSet> core_list;
  std::vector<L3Cache> l3;

  static constexpr std::string_view kSchema = "Cpu";
  template <class Self = Cpu>
  static constexpr auto fields() {
    return std::tuple{
        field("online", &Self::online, "sys/devices/system/cpu/online"),
        field("offline", &Self::offline, "present and not online"),
        field("present", &Self::present, "sys/devices/system/cpu/present"),
        field("isolated", &Self::isolated, "isolcpus=; sys/devices/system/cpu/isolated"),
        field("nohz_full", &Self::nohz_full, "sys/devices/system/cpu/nohz_full"),
        field("allowed", &Self::allowed, "what this process may use; proc/self/status"),
        field("packages", &Self::packages, "packages (sockets) with an online CPU"),
        field("cores", &Self::cores, "cores with an online CPU, by sibling masks"),
        field("threads", &Self::threads, "online CPUs"),
        field("threads_per_core", &Self::threads_per_core,
              "the numbers of online threads that cores have, ascending; several on a hybrid or "
              "with some threads offline"),
        field(
            "smt", &Self::smt,
            "on, off, forceoff, notsupported, notimplemented; sys/devices/system/cpu/smt/control"),
        field("vendor", &Self::vendor, "GenuineIntel, AuthenticAMD, ...; proc/cpuinfo"),
        field("model", &Self::model, "proc/cpuinfo"),
        field("family", &Self::family, "x86 CPU family; proc/cpuinfo"),
        field("model_number", &Self::model_number, "x86 model; proc/cpuinfo"),
        field("enumeration", &Self::enumeration, "how CPU numbers run over the nodes"),
        field("package_list", &Self::package_list, "each package"),
        field("core_list", &Self::core_list, "online CPUs of each core"),
        field("l3", &Self::l3, "each third-level cache"),
    };
  }
};

}  // namespace lk
