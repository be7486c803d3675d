#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  std::vector<Observation> all;
  const CpuSet local = drive_local_cpus(inventory);
  for (const auto& policy : inventory.cpufreq.policies) {
    const std::string directory = "policy" + std::to_string(policy.id);
    const auto target = target_of(Scope::policy, std::to_string(policy.id));
    auto seen = policy.epp ? observed(target, word_or_number(*policy.epp),
                                      {{"sys/devices/system/cpu/cpufreq/" + directory +
                                            "/energy_performance_preference",
                                        *policy.epp}})
                           : missing(inventory, target, "cpufreq.policies[].epp", directory + "/");
    seen.traits = cpu_traits(inventory);
    seen.traits.driver = policy.driver.value_or("");
    seen.traits.drive_local = policy.cpus.intersects(local);
    seen.offered = policy.epps;
    all.push_back(std::move(seen));
  }
  if (!all.empty()) return all;
  return nothing(inventory, "cpufreq.policies",
                 "the kernel controls no CPU frequency here: no cpufreq driver");
}

Remedy remedy(const ObservationGroup& group, const Expectation& wanted) {
  const auto value = choice(group, wanted);
  if (value.empty()) return no_remedy("The driver offers none of " + wanted.text + ".");
  return runtime(
      "As root, after the governor: under the governor performance the kernel answers "
      "EBUSY to any other preference. It holds until the next boot.",
      write_command(group, value));
}

}  // namespace

extern const Knob kCpuEpp;
const Knob kCpuEpp{
    .id = "cpu.epp",
    .title = "Energy performance preference (EPP)",
    .doc = R"(What the hardware leans to when it chooses frequencies by itself
(`sys/devices/system/cpu/cpufreq/policy<N>/energy_performance_preference`): `performance`,
`balance_performance`, `default`, `balance_power`, `power`, or a number from 0 (performance) to 255.
Only with intel_pstate or amd-pstate in active mode.

By hand: `cat /sys/devices/system/cpu/cpufreq/policy*/energy_performance_preference`)",
    .why =
        "With hardware-managed frequencies the preference, not the governor, decides how fast a "
        "CPU speeds up when I/O arrives; tuned's throughput-performance sets `performance`.",
    .scope = Scope::policy,
    .risk = Risk::safe,
    .power_cost = PowerCost::some,
    .kind = ValueKind::either,
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
