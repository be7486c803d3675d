#include "probes/probe.hpp"

namespace lk {

namespace {

void run(ProbeContext& context) { context.missing("uncore", Cause::not_yet, "not yet"); }

}  // namespace

extern const Probe kUncore{"uncore", "", run, nullptr};

}  // namespace lk
