#include <algorithm>

#include "tuners/observe.hpp"

namespace lk {

namespace {

bool has_epp(const Inventory& inventory) {
  const auto& policies = inventory.cpufreq.policies;
  return std::any_of(policies.begin(), policies.end(),
                     [](const CpufreqPolicy& policy) { return policy.epp.has_value(); });
}

std::vector<Observation> observe(const Inventory& inventory) {
  const auto& groups = inventory.cpufreq.epb;
  if (groups.empty()) {
    return nothing(inventory, "cpufreq.epb", "the CPUs have no energy performance bias");
  }
  if (has_epp(inventory)) {
    return {
        not_applicable("host", "the energy performance preference (cpu.epp) is in use instead")};
  }
  std::vector<Observation> all;
  const CpuSet local = drive_local_cpus(inventory);
  for (const auto& group : groups) {
    for (const unsigned cpu : group.cpus.to_vector()) {
      const auto number = std::to_string(cpu);
      auto seen = observed(target_of(Scope::cpu, number), Value{group.value},
                           {{"sys/devices/system/cpu/cpu" + number + "/power/energy_perf_bias",
                             std::to_string(group.value)}});
      seen.traits = cpu_traits(inventory);
      seen.traits.drive_local = local.contains(cpu);
      all.push_back(std::move(seen));
    }
  }
  return all;
}

Remedy remedy(const ObservationGroup& group, const Expectation& wanted) {
  return runtime("As root; it holds until the next boot.",
                 write_command(group, wanted_number(wanted)));
}

}  // namespace

extern const Knob kCpuEpb;
const Knob kCpuEpb{
    .id = "cpu.epb",
    .title = "Energy performance bias (EPB)",
    .doc = R"(The older hint to Intel CPUs, 0 (performance) to 15 (power)
(`sys/devices/system/cpu/cpu<N>/power/energy_perf_bias`). The kernel turns the firmware's 0 into 6 at
boot, so that 6 says nothing about the firmware. Not applicable where the preference (`cpu.epp`)
is in use.

By hand: `cat /sys/devices/system/cpu/cpu*/power/energy_perf_bias`)",
    .why =
        "A bias towards saving lets the CPU run slower under a light load; tuned's "
        "throughput-performance profile sets 0.",
    .scope = Scope::cpu,
    .risk = Risk::safe,
    .power_cost = PowerCost::some,
    .kind = ValueKind::number,
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
