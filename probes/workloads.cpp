#include "probes/probe.hpp"

namespace lk {

namespace {

void run(ProbeContext& context) {
  context.missing("workloads", Cause::not_yet, "not yet");
}

}  // namespace

extern const Probe kWorkloads{"workloads", "", run, [](const Inventory& inventory) {
                                return inventory.workloads.has_value();
                              }};

}  // namespace lk
