#include <algorithm>

#include "base/text.hpp"
#include "probes/probe.hpp"

namespace lk {

namespace {

constexpr const char* kCpuDir = "sys/devices/system/cpu";
constexpr std::int64_t kNoLimit = 2'000'000'000;

std::string cpu_dir(unsigned cpu) {
  return std::string(kCpuDir) + "/cpu" + std::to_string(cpu);
}

std::vector<std::int64_t> state_numbers(ProbeContext& context, const std::string& dir) {
  std::vector<std::int64_t> numbers;
  for (const auto& name : context.list("cpuidle.groups", dir)) {
    if (!name.starts_with("state")) continue;
    const auto number = parse_int(std::string_view(name).substr(5));
    if (number && *number >= 0) numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

IdleState read_state(ProbeContext& context, const std::string& dir, std::int64_t index) {
  const auto field = [](const char* name) {
    return std::string("cpuidle.groups[].states[].") + name;
  };
  IdleState state;
  state.index = index;
  state.name = context.word(field("name"), dir + "name");
  state.description = context.word(field("description"), dir + "desc");
  state.latency_us = context.integer(field("latency_us"), dir + "latency");
  state.residency_us = context.integer(field("residency_us"), dir + "residency");
  state.default_status = context.word(field("default_status"), dir + "default_status");
  // Kernels before 3.6 print the bits of a word; any of them means disabled.
  const auto disable = context.integer(field("disabled"), dir + "disable");
  if (disable) state.disabled = *disable != 0;
  return state;
}

bool same_states(const std::vector<IdleState>& a, const std::vector<IdleState>& b) {
  const auto key = [](const IdleState& state) {
    return std::tie(state.index, state.name, state.description, state.latency_us,
                    state.residency_us, state.disabled, state.default_status);
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](const IdleState& x, const IdleState& y) { return key(x) == key(y); });
}

void read_groups(ProbeContext& context) {
  auto& groups = context.inventory.cpuidle.groups;
  const auto& online = context.inventory.cpu.online;
  if (!online) return;
  for (const unsigned cpu : online->to_vector()) {
    const auto dir = cpu_dir(cpu) + "/cpuidle";
    std::vector<IdleState> states;
    for (const auto index : state_numbers(context, dir)) {
      states.push_back(read_state(context, dir + "/state" + std::to_string(index) + '/', index));
    }
    if (states.empty()) continue;
    const auto known = std::find_if(groups.begin(), groups.end(), [&](const IdleGroup& group) {
      return same_states(group.states, states);
    });
    if (known != groups.end()) {
      known->cpus.add(cpu);
    } else {
      groups.push_back({CpuSet{cpu}, std::move(states)});
    }
  }
}

// The zero is inverted: "0" is no limit, "n/a" is none of any latency (polling only).
void read_resume_limits(ProbeContext& context) {
  const std::string field = "cpuidle.resume_limits";
  const auto& online = context.inventory.cpu.online;
  if (!online) return;
  std::map<std::optional<std::int64_t>, CpuSet> by_limit;
  for (const unsigned cpu : online->to_vector()) {
    const auto path = cpu_dir(cpu) + "/power/pm_qos_resume_latency_us";
    const auto text = context.optional_text(field, path);
    if (!text) continue;
    const auto number = *text == "n/a" ? Result<std::int64_t>(-1) : parse_int(*text);
    if (!number || *number < -1) {
      context.problem(field, Error{"neither a number nor n/a:", path, 0});
    } else if (*number == 0) {
      by_limit[std::nullopt].add(cpu);
    } else {
      by_limit[std::max<std::int64_t>(*number, 0)].add(cpu);
    }
  }
  for (auto& [limit, cpus] : by_limit) {
    if (!limit) {
      context.missing(field + "[].limit_us", Cause::not_applicable, "no limit is set for the CPUs");
    }
    context.inventory.cpuidle.resume_limits.push_back({std::move(cpus), limit});
  }
}

void read_holders_of(ProbeContext& context, const std::string& pid) {
  const std::string field = "cpuidle.holders";
  const auto dir = "proc/" + pid + "/fd";
  const auto descriptors = context.root.list(dir);
  if (!descriptors) {
    // A process that ended meanwhile holds nothing.
    if (descriptors.error().err == EACCES || descriptors.error().err == EPERM) {
      context.problem(field, descriptors.error());
    }
    return;
  }
  for (const auto& descriptor : *descriptors) {
    const auto target = context.root.link_target(dir + '/' + descriptor);
    if (!target || *target != "/dev/cpu_dma_latency") continue;
    const auto comm = context.root.read("proc/" + pid + "/comm");
    context.inventory.cpuidle.holders.push_back(
        pid + ' ' + (comm ? std::string(trim(*comm)) : std::string("?")));
    return;
  }
}

// Looks through all processes only if a limit is in force: without one nobody holds one that
// counts.
void read_latency_limit(ProbeContext& context) {
  const std::string field = "cpuidle.latency_limit_us";
  if (!context.root.is_live() && !context.root.exists("dev/cpu_dma_latency")) {
    for (const auto& each : {field, std::string("cpuidle.holders")}) {
      context.missing(each, Cause::not_applicable,
                      "a captured tree has no /dev/cpu_dma_latency to ask", "dev/cpu_dma_latency");
    }
    return;
  }
  const auto limit = context.root.read_latency_limit();
  if (!limit) {
    context.problem(field, limit.error());
    context.problem("cpuidle.holders", limit.error());
    return;
  }
  context.inventory.cpuidle.latency_limit_us = *limit;
  if (*limit >= kNoLimit) return;
  for (const auto& name : context.list("cpuidle.holders", "proc")) {
    if (parse_int(name)) read_holders_of(context, name);
  }
}

void run(ProbeContext& context) {
  auto& cpuidle = context.inventory.cpuidle;
  const std::string base = std::string(kCpuDir) + "/cpuidle";
  cpuidle.driver = context.word("cpuidle.driver", base + "/current_driver");
  cpuidle.governor = context.optional_text("cpuidle.governor", base + "/current_governor");
  if (!cpuidle.governor || cpuidle.governor->empty()) {
    cpuidle.governor = context.word("cpuidle.governor", base + "/current_governor_ro");
  }
  read_groups(context);
  read_latency_limit(context);
  read_resume_limits(context);
}

}  // namespace

extern const Probe kCpuidle{"cpuidle", "sys/devices/system/cpu/*/cpuidle, dev/cpu_dma_latency", run,
                            [](const Inventory& inventory) {
                              return inventory.cpuidle.driver || !inventory.cpuidle.groups.empty();
                            }};

}  // namespace lk
