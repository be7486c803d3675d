#include "probes/probe.hpp"

namespace lk {

namespace {

void run(ProbeContext&) {}

}  // namespace

extern const Probe kWorkloads{"workloads", "", run, nullptr};

}  // namespace lk
