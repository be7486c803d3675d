#include "probes/probe.hpp"

namespace lk {

namespace {

void run(ProbeContext&) {}

}  // namespace

extern const Probe kCpufreq{"cpufreq", "", run, nullptr};

}  // namespace lk
