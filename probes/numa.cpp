#include "probes/probe.hpp"

namespace lk {

namespace {

void run(ProbeContext&) {}

}  // namespace

extern const Probe kNuma{"numa", "", run, nullptr};

}  // namespace lk
