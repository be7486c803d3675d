// What hwloc makes of the same CPUs, to compare with our own reading (docs/adr/0006). hwloc takes
// the root it reads from the environment only and follows links without asking, so it is used
// only where it cannot answer with another host than the one that was asked about.
#pragma once

#include <sys/types.h>

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

// read_hwloc() in a process of its own, which runs while this one goes on reading: on trees that
// hwloc cannot bear it aborts or waits, and that must cost nothing but its answer. Only for a
// process with one thread.
class HwlocChild {
 public:
  explicit HwlocChild(const Root& root);
  HwlocChild(const HwlocChild&) = delete;
  HwlocChild& operator=(const HwlocChild&) = delete;
  ~HwlocChild();  // kills it if it still runs

  // Waits for it to end, and says meanwhile when it is seen at work: on a busy host it may take
  // long. The Error of read_hwloc(), or how the process ended without an answer.
  Result<HwlocTopology> answer(const std::function<void()>& still_works);

 private:
  pid_t pid_ = -1;
  int pipe_ = -1;
  Error failure_{"hwloc was asked for its answer twice", {}, 0};
};

// The first link on hwloc's way that leads out of a captured tree or through other links; an Error
// names it.
Status check_links(const Root& root);

// Compares, adds a line to `warnings` where the two differ, and fills in what sysfs lists did not
// tell: nothing that they did tell is changed.
void merge_hwloc(const HwlocTopology& theirs, Cpu& ours, std::vector<std::string>& warnings);

}  // namespace lk
