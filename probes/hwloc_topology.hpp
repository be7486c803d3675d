// What hwloc makes of the same CPUs, to compare with our own reading (docs/adr/0006). hwloc takes
// the root it reads from the environment only and follows links without asking, so it is used
// only where it cannot answer with another host than the one that was asked about.
#pragma once

#include "probes/probe.hpp"

namespace lk {

struct HwlocTopology {
  std::vector<CpuSet> packages;  // each by lowest CPU; empty where hwloc knows none
  std::vector<CpuSet> cores;
  std::vector<CpuSet> l3;
};

// An Error says why hwloc is not used here: this process was not started for this root (only the
// reader is, with HWLOC_COMPONENTS and HWLOC_FSROOT), or a link leads out of the captured tree.
Result<HwlocTopology> read_hwloc(const Root& root);

// The first link on hwloc's way that leads out of a captured tree or through other links; an Error
// names it.
Status check_links(const Root& root);

// Compares, adds a line to `warnings` where the two differ, and fills in what sysfs lists did not
// tell: nothing that they did tell is changed.
void merge_hwloc(const HwlocTopology& theirs, Cpu& ours, std::vector<std::string>& warnings);

}  // namespace lk
