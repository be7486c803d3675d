#include "probes/probe.hpp"

namespace lk {

namespace {

void run(ProbeContext&) {}

}  // namespace

extern const Probe kCpuidle{"cpuidle", "", run, nullptr};

}  // namespace lk
