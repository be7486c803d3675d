#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  std::vector<Observation> all;
  const CpuSet local = drive_local_cpus(inventory);
  for (const auto& policy : inventory.cpufreq.policies) {
    const std::string directory = "policy" + std::to_string(policy.id);
    const auto target = target_of(Scope::policy, std::to_string(policy.id));
    auto seen =
        policy.governor
            ? observed(target, *policy.governor,
                       {{"sys/devices/system/cpu/cpufreq/" + directory + "/scaling_governor",
                         *policy.governor}})
            : missing(inventory, target, "cpufreq.policies[].governor", directory + "/");
    seen.traits = cpu_traits(inventory);
    seen.traits.driver = policy.driver.value_or("");
    seen.traits.drive_local = policy.cpus.intersects(local);
    seen.offered = policy.governors;
    all.push_back(std::move(seen));
  }
  if (!all.empty()) return all;
  return nothing(inventory, "cpufreq.policies",
                 "the kernel controls no CPU frequency here: no cpufreq driver");
}

Remedy remedy(const ObservationGroup& group, const Expectation& wanted) {
  const auto governor = choice(group, wanted);
  if (governor.empty()) {
    return no_remedy("The frequency driver offers none of " + wanted.text +
                     "; see scaling_available_governors.");
  }
  return runtime(
      "As root, set the governor to " + governor +
          "; it holds until the next boot. If tuned, power-profiles-daemon or TLP runs, set it "
          "there instead: they write the same file.",
      write_command(group, governor));
}

}  // namespace

extern const Knob kCpuGovernor;
const Knob kCpuGovernor{
    .id = "cpu.governor",
    .title = "CPU frequency governor",
    .doc = R"(The rule by which the kernel chooses CPU frequencies, one per frequency policy
(`sys/devices/system/cpu/cpufreq/policy<N>/scaling_governor`). With intel_pstate or amd-pstate in
active mode only `performance` and `powersave` exist, and `powersave` there means that the hardware
chooses. A virtual machine has usually no policy at all.

By hand: `cat /sys/devices/system/cpu/cpufreq/policy*/scaling_governor`

`performance` costs some power on an idle host. Under intel_pstate it also sets the energy
preference to `performance`.)",
    .why =
        "A governor that follows the load lets an idle-looking CPU run slowly when an interrupt "
        "arrives, which adds to every I/O at low queue depth. tuned's throughput-performance "
        "and latency-performance profiles set `performance` for this reason.",
    .scope = Scope::policy,
    .risk = Risk::safe,
    .power_cost = PowerCost::some,
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
