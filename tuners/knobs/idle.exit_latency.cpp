#include "tuners/idle.hpp"

#include <algorithm>

#include "tuners/observe.hpp"

namespace lk {

namespace {

constexpr std::string_view kLimitFile = "dev/cpu_dma_latency";

std::vector<Evidence> evidence_of(const Inventory& inventory, const std::string& number,
                                  const IdleDepth& depth, std::optional<std::int64_t> own) {
  const std::string base = "sys/devices/system/cpu/cpu" + number + "/";
  std::vector<Evidence> evidence{{base + "cpuidle/state" + std::to_string(depth.index) + "/latency",
                                  std::to_string(depth.latency_us.value_or(0))}};
  if (own) {
    evidence.push_back(
        {base + "power/pm_qos_resume_latency_us", *own == 0 ? "n/a" : std::to_string(*own)});
  }
  const auto& limit = inventory.cpuidle.latency_limit_us;
  if (limit && *limit < kNoLatencyLimit) {
    evidence.push_back({std::string(kLimitFile), std::to_string(*limit)});
  }
  return evidence;
}

Observation look(const Inventory& inventory, const IdleGroup& group, unsigned cpu) {
  const auto number = std::to_string(cpu);
  const auto target = target_of(Scope::cpu, number);
  const auto own = resume_limit(inventory, cpu);
  const auto limit = std::min(inventory.cpuidle.latency_limit_us.value_or(kNoLatencyLimit),
                              own.value_or(kNoLatencyLimit));
  const auto depth = idle_depth(group.states, limit);
  if (!depth.latency_us && limit >= kNoLatencyLimit) {
    return missing(inventory, target, "cpuidle.groups[].states[].latency_us");
  }
  if (!depth.c1_us) {
    return not_applicable(target, "the idle states report no exit latency");
  }
  auto seen = observed(target, Value{depth.latency_us.value_or(0)},
                       evidence_of(inventory, number, depth, own));
  seen.detail = depth.state;
  seen.references["c1"] = *depth.c1_us;
  return seen;
}

std::vector<Observation> observe(const Inventory& inventory) {
  const auto& idle = inventory.cpuidle;
  if (idle.groups.empty()) {
    return nothing(inventory, "cpuidle.groups", "the kernel manages no idle states here");
  }
  if (latency_limit_is_hidden(inventory)) {
    return {missing(inventory, "host", "cpuidle.latency_limit_us")};
  }
  std::vector<Observation> all;
  const CpuSet local = drive_local_cpus(inventory);
  for (const auto& group : idle.groups) {
    for (const unsigned cpu : group.cpus.to_vector()) {
      auto seen = look(inventory, group, cpu);
      seen.traits = cpu_traits(inventory);
      seen.traits.driver = idle.driver.value_or("");
      seen.traits.drive_local = local.contains(cpu);
      all.push_back(std::move(seen));
    }
  }
  return all;
}

// The latency to allow: a number of the profile, or the largest C1 of the group.
std::int64_t allowed(const ObservationGroup& group, const Expectation& wanted) {
  std::int64_t limit = 0;
  for (const Observation* seen : group) {
    const auto c1 = seen->references.find("c1");
    if (c1 != seen->references.end()) limit = std::max(limit, c1->second);
  }
  const auto number = wanted_number(wanted);
  return number.empty() || number == "0" ? limit
                                         : std::max(limit, std::int64_t{std::stoll(number)});
}

Remedy remedy(const ObservationGroup& group, const Expectation& wanted) {
  if (std::get<std::int64_t>(*group.front()->value) == 0) {
    return runtime(
        "Something allows polling only. Look who holds /dev/cpu_dma_latency and who "
        "wrote pm_qos_resume_latency_us (n/a means polling there, 0 means no limit).",
        "grep . /sys/devices/system/cpu/cpu*/power/pm_qos_resume_latency_us; "
        "fuser -v /dev/cpu_dma_latency");
  }
  std::vector<std::string> paths;
  for (const Observation* seen : group) {
    paths.push_back("/sys/devices/system/cpu/cpu" +
                    seen->target.substr(seen->target.find(':') + 1) +
                    "/power/pm_qos_resume_latency_us");
  }
  return runtime(
      "As root, limit these CPUs; 0 takes the limit away again (it means no limit here). "
      "It holds until the next boot and costs power on an idle host.",
      "echo " + std::to_string(allowed(group, wanted)) + " | tee " + brace_paths(paths));
}

}  // namespace

extern const Knob kIdleExitLatency;
const Knob kIdleExitLatency{
    .id = "idle.exit_latency",
    .title = "Exit latency of the deepest idle state",
    .doc = R"(How long a CPU may take to wake up: the exit latency of the deepest idle state that it
may enter, after disabled states, its own limit (`power/pm_qos_resume_latency_us`) and the host-wide
limit (`/dev/cpu_dma_latency`). States are judged by their latency, never by name: C1E of one CPU is
C1 of another. `c1` stands for the shallowest latency above polling of that very CPU, so that
`<= c1` means "C1 only" on any CPU.

0 means that the CPU may only poll. Lanekeeper never proposes that: it takes the turbo headroom and
the core's other thread.

By hand: `grep . /sys/devices/system/cpu/cpu0/cpuidle/state*/{name,latency,disable}`)",
    .why =
        "An interrupt that arrives at a sleeping CPU waits for its exit latency: 170 us for C6 on "
        "an Ice Lake server, twice what a drive needs to answer. Deep states let other cores "
        "turbo higher, so that a limit on all CPUs can also cost throughput; tuned's "
        "latency-performance profile limits to C1, throughput-performance sets no limit.",
    .unit = "us",
    .scope = Scope::cpu,
    .risk = Risk::safe,
    .power_cost = PowerCost::high,
    .kind = ValueKind::number,
    .references = {"c1"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
