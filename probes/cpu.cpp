#include "probes/probe.hpp"

namespace lk {

namespace {

void run(ProbeContext&) {}

}  // namespace

extern const Probe kCpu{"cpu", "", run, nullptr};

}  // namespace lk
