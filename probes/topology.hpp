// How CPUs are grouped into packages, cores and L3 caches, by the sibling sets that each CPU states
// (sys/devices/system/cpu/cpuN/topology; kernel.md 1.2). core_id and physical_package_id alone
// would not do: the first is unique only in its package and die, the second is -1 on several
// architectures.
#pragma once

#include "probes/probe.hpp"

namespace lk {

struct Topology {
  std::optional<std::vector<Package>> packages;  // by lowest CPU; absent if no CPU states any
  std::optional<std::vector<CpuSet>> cores;      // by lowest CPU; absent likewise
  std::vector<L3Cache> l3;                       // by lowest CPU; empty where not exported
  std::vector<std::string> conflicts;            // for numa.warnings
};

// Reads the topology of the CPUs in `online` and writes Problems for cpu.packages, cpu.cores and
// cpu.l3 where there is none.
Topology read_topology(ProbeContext& context, const CpuSet& online);

}  // namespace lk
