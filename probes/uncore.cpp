#include "probes/probe.hpp"

namespace lk {

namespace {

void run(ProbeContext&) {}

}  // namespace

extern const Probe kUncore{"uncore", "", run, nullptr};

}  // namespace lk
