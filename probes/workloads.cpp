#include "probes/probe.hpp"

namespace lk {

namespace {

void run(ProbeContext& context) {
  context.missing("workloads", Cause::not_yet, "not yet");
}

}  // namespace

extern const Probe kWorkloads{"workloads", "", run, nullptr};

}  // namespace lk
