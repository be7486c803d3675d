#include "probes/probe.hpp"

namespace lk {

namespace {

void run(ProbeContext&) {}

}  // namespace

extern const Probe kIrqs{"irqs", "", run, nullptr};

}  // namespace lk
