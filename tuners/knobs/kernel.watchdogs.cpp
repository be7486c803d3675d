#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  auto all = observe_sysctl(inventory, "kernel.nmi_watchdog");
  auto& seen = all.front();
  if (seen.value) seen.value = on_off(std::get<std::int64_t>(*seen.value) != 0);
  return all;
}

Remedy remedy(const ObservationGroup&, const Expectation&) {
  return no_remedy("Nothing is advised.");
}

}  // namespace

extern const Knob kKernelWatchdogs;
const Knob kKernelWatchdogs{
    .id = "kernel.watchdogs",
    .title = "Lockup watchdogs",
    .doc =
        R"(Whether the hard-lockup watchdog runs (`proc/sys/kernel/nmi_watchdog`). Values: `on`, `off`.

By hand: `sysctl kernel.nmi_watchdog`)",
    .why =
        "It takes one hardware counter of each CPU and an interrupt every few seconds, and tells "
        "when a CPU hangs. Reported only.",
    .words = {"on", "off"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
