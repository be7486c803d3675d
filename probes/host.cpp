#include "probes/probe.hpp"

namespace lk {

namespace {

void run(ProbeContext&) {}

}  // namespace

extern const Probe kHost{"host", "", run, nullptr};

}  // namespace lk
