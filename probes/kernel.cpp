#include "probes/probe.hpp"

namespace lk {

namespace {

void run(ProbeContext&) {}

}  // namespace

extern const Probe kKernel{"kernel", "", run, nullptr};

}  // namespace lk
