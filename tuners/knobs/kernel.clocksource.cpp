#include <algorithm>

#include "tuners/observe.hpp"

namespace lk {

namespace {

constexpr std::string_view kDirectory = "sys/devices/system/clocksource/clocksource0/";

std::vector<Observation> observe(const Inventory& inventory) {
  const auto& kernel = inventory.kernel;
  if (!kernel.clocksource) return {missing(inventory, "host", "kernel.clocksource")};
  auto seen = observed("host", *kernel.clocksource,
                       {{std::string(kDirectory) + "current_clocksource", *kernel.clocksource}});
  std::string offered;
  for (const auto& each : kernel.clocksources) offered += (offered.empty() ? "" : " ") + each;
  if (!offered.empty()) {
    seen.evidence.push_back({std::string(kDirectory) + "available_clocksource", offered});
  }
  seen.offered = kernel.clocksources;
  seen.traits = cpu_traits(inventory);
  return {seen};
}

Remedy remedy(const ObservationGroup& group, const Expectation&) {
  const auto& offered = group.front()->offered;
  const bool has_tsc = std::find(offered.begin(), offered.end(), "tsc") != offered.end();
  auto remedy = boot(
      has_tsc ? "The TSC is offered but not in use: look why (a clocksource= or tsc= parameter, or "
                "an administrator's choice), then boot without that parameter."
              : "The kernel found the TSC unstable or absent and fell back. The kernel log says "
                "why. Usual causes: firmware that changes the TSC (update it), or a hypervisor "
                "that hides the invariant TSC (enable it there). Do not force tsc=reliable "
                "without knowing the cause: clocks that differ between CPUs corrupt time.");
  remedy.command = "dmesg | grep -i -e tsc -e clocksource; cat /proc/cmdline";
  return remedy;
}

}  // namespace

extern const Knob kKernelClocksource;
const Knob kKernelClocksource{
    .id = "kernel.clocksource",
    .title = "Clock source",
    .doc = R"(What the kernel reads time from
(`sys/devices/system/clocksource/clocksource0/current_clocksource`). `tsc` is read in user space in
some 20 ns; so are `kvm-clock`, `hyperv_clocksource_tsc_page` and `arch_sys_counter` where they
belong. `hpet`, `acpi_pm` and `jiffies` are the fallbacks of a kernel that does not trust its TSC.

By hand: `cat /sys/devices/system/clocksource/clocksource0/*_clocksource`

Never written: the file accepts any text without an error, and the kernel fell back for a
reason.)",
    .why =
        "hpet and acpi_pm need a slow device read under a lock for every time stamp, and every "
        "I/O takes several: on many CPUs this alone limits IOPS. The kernel falls back to them "
        "only when it found the TSC unstable (kernel/time/clocksource.c).",
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
