#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  const auto& turbo = inventory.cpufreq.turbo;
  if (!turbo.enabled) return {missing(inventory, "host", "cpufreq.turbo.enabled")};
  const auto path = turbo.path.value_or("sys/devices/system/cpu/cpufreq/boost");
  const bool inverted = path.ends_with("no_turbo");
  auto seen =
      observed("host", on_off(*turbo.enabled), {{path, *turbo.enabled != inverted ? "1" : "0"}});
  seen.traits = cpu_traits(inventory);
  seen.traits.driver = inventory.cpufreq.driver.value_or("");
  return {seen};
}

Remedy remedy(const ObservationGroup& group, const Expectation& wanted) {
  const auto& path = group.front()->evidence.front().path;
  const bool on = choice(group, wanted) == "on";
  const std::string value = on != path.ends_with("no_turbo") ? "1" : "0";
  return runtime(
      "As root; it holds until the next boot. If the kernel refuses (EPERM), the "
      "firmware turned turbo off: turn it on in the setup.",
      write_command(group, value));
}

}  // namespace

extern const Knob kCpuTurbo;
const Knob kCpuTurbo{
    .id = "cpu.turbo",
    .title = "Turbo",
    .doc = R"(Whether CPUs may run above their base frequency: one answer from
`sys/devices/system/cpu/intel_pstate/no_turbo` (inverted) or `sys/devices/system/cpu/cpufreq/boost`.
Values: `on`, `off`.

By hand: `cat /sys/devices/system/cpu/intel_pstate/no_turbo /sys/devices/system/cpu/cpufreq/boost`)",
    .why =
        "Without turbo every I/O path runs at the base frequency; tuned's "
        "throughput-performance profile sets it on.",
    .risk = Risk::safe,
    .power_cost = PowerCost::some,
    .words = {"on", "off"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
