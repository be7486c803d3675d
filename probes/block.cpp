#include "probes/probe.hpp"

namespace lk {

namespace {

void run(ProbeContext&) {}

}  // namespace

extern const Probe kBlock{"block", "", run, nullptr};

}  // namespace lk
