#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  const auto& freq = inventory.cpufreq;
  if (!freq.driver) return {missing(inventory, "host", "cpufreq.driver")};
  auto seen = observed("host", *freq.driver,
                       {{"sys/devices/system/cpu/cpufreq/policy*/scaling_driver", *freq.driver}});
  if (freq.mode) seen.detail = *freq.mode + " mode";
  seen.traits = cpu_traits(inventory);
  seen.traits.driver = *freq.driver;
  return {seen};
}

Remedy remedy(const ObservationGroup&, const Expectation&) {
  return boot(
      "The driver and its mode are chosen at boot: intel_pstate= or amd_pstate= on the "
      "kernel command line. Switching at run time resets every frequency setting.");
}

}  // namespace

extern const Knob kCpuDriverMode;
const Knob kCpuDriverMode{
    .id = "cpu.driver_mode",
    .title = "Frequency driver and its mode",
    .doc = R"(Which cpufreq driver runs, and in which mode (`intel_pstate/status`,
`amd_pstate/status`). acpi-cpufreq is normal on EPYC; no driver is normal in a virtual machine.

By hand: `cpupower frequency-info -d`)",
    .why =
        "It decides which governors exist and whether the hardware chooses frequencies itself; "
        "none of them is wrong.",
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
