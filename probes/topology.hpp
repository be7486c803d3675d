// How CPUs are grouped into packages, cores and L3 caches, by the sibling sets that each CPU states
// (sys/devices/system/cpu/cpuN/topology; kernel.md 1.2). core_id and physical_package_id alone
// would not do: the first is unique only in its package and die, the second is -1 on several
// architectures.
#pragma once

#include "probes/probe.hpp"

namespace lk {

struct Topology {
  // Each by lowest CPU; empty if no CPU states any.
  std::vector<Package> packages;
  std::vector<CpuSet> cores;
  std::vector<L3Cache> l3;
  std::vector<std::string> conflicts;  // for numa.warnings
};

// Reads the topology of the CPUs in `online`. Writes Problems for files that are there and cannot
// be used, none for what is absent.
Topology read_topology(ProbeContext& context, const CpuSet& online);

}  // namespace lk
