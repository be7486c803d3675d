#include <algorithm>

#include "base/text.hpp"
#include "probes/probe.hpp"

namespace lk {

namespace {

constexpr const char* kCpuDir = "sys/devices/system/cpu";

std::optional<std::int64_t> number_after(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  const auto number = parse_int(name.substr(prefix.size()));
  if (!number || *number < 0 || *number >= std::int64_t{CpuSet::kMost}) return std::nullopt;
  return *number;
}

// "0 1 2 3": CPU numbers between blanks, unlike all other lists.
std::optional<CpuSet> spaced_cpus(ProbeContext& context, const std::string& path) {
  const auto text = context.optional_text("cpufreq.policies[].cpus", path);
  if (!text) return std::nullopt;
  CpuSet cpus;
  for (const auto word : words(*text)) {
    const auto set = CpuSet::parse_list(word);
    if (!set) {
      context.problem("cpufreq.policies[].cpus", Error{set.error().what + ":", path, 0});
      return std::nullopt;
    }
    cpus |= *set;
  }
  return cpus;
}

struct Place {
  std::int64_t id = 0;
  std::string dir;
  CpuSet cpus;
};

std::vector<std::string> names(ProbeContext& context, const std::string& field,
                               const std::string& path) {
  const auto text = context.optional_text(field, path);
  std::vector<std::string> out;
  if (!text) return out;
  for (const auto word : words(*text)) out.emplace_back(word);
  return out;
}

// A policy without online CPUs answers EBUSY to everything and is left out.
std::vector<Place> policy_folders(ProbeContext& context) {
  std::vector<Place> places;
  const std::string base = std::string(kCpuDir) + "/cpufreq";
  const auto& online = context.inventory.cpu.online;
  for (const auto& name : context.list("cpufreq.policies", base)) {
    const auto id = number_after(name, "policy");
    if (!id) continue;
    Place place{*id, base + '/' + name + '/', {}};
    auto cpus = spaced_cpus(context, place.dir + "affected_cpus");
    if (!cpus) cpus = spaced_cpus(context, place.dir + "related_cpus");
    // A policy is named after its first CPU.
    place.cpus = cpus ? *cpus : CpuSet{static_cast<unsigned>(*id)};
    if (online) place.cpus &= *online;
    if (!place.cpus.empty()) places.push_back(std::move(place));
  }
  return places;
}

// Kernels before 4.3 have a folder (or a link to one) in each CPU's own.
std::vector<Place> cpu_folders(ProbeContext& context) {
  std::vector<Place> places;
  CpuSet seen;
  const auto online = context.inventory.cpu.online.value_or(CpuSet{});
  for (const unsigned cpu : online.to_vector()) {
    const std::string dir = std::string(kCpuDir) + "/cpu" + std::to_string(cpu) + "/cpufreq/";
    if (seen.contains(cpu) || !context.root.exists(dir)) continue;
    Place place{cpu, dir, {}};
    auto cpus = spaced_cpus(context, dir + "affected_cpus");
    place.cpus = cpus && cpus->contains(cpu) ? *cpus & online : CpuSet{cpu};
    place.cpus -= seen;
    seen |= place.cpus;
    places.push_back(std::move(place));
  }
  return places;
}

CpufreqPolicy read_policy(ProbeContext& context, const Place& place) {
  const auto field = [](const char* name) { return std::string("cpufreq.policies[].") + name; };
  const auto& dir = place.dir;
  CpufreqPolicy policy;
  policy.id = place.id;
  policy.cpus = place.cpus;
  policy.driver = context.word(field("driver"), dir + "scaling_driver");
  policy.governor = context.word(field("governor"), dir + "scaling_governor");
  policy.governors = names(context, field("governors"), dir + "scaling_available_governors");
  policy.epp = context.word(field("epp"), dir + "energy_performance_preference");
  policy.epps = names(context, field("epps"), dir + "energy_performance_available_preferences");
  policy.min_khz = context.integer(field("min_khz"), dir + "scaling_min_freq");
  policy.max_khz = context.integer(field("max_khz"), dir + "scaling_max_freq");
  policy.hardware_min_khz = context.integer(field("hardware_min_khz"), dir + "cpuinfo_min_freq");
  policy.hardware_max_khz = context.integer(field("hardware_max_khz"), dir + "cpuinfo_max_freq");
  policy.base_khz = context.integer(field("base_khz"), dir + "base_frequency");
  policy.boost = context.flag(field("boost"), dir + "boost");
  return policy;
}

void read_driver(ProbeContext& context) {
  auto& cpufreq = context.inventory.cpufreq;
  std::set<std::string> drivers;
  for (const auto& policy : cpufreq.policies) {
    if (policy.driver) drivers.insert(*policy.driver);
  }
  if (drivers.empty()) {
    context.missing("cpufreq.driver", Cause::absent,
                    "no policy names a driver: frequencies are not the kernel's to set");
  } else {
    cpufreq.driver = drivers.size() == 1 ? *drivers.begin() : "mixed";
  }
  const std::string base = kCpuDir;
  cpufreq.mode = context.optional_text("cpufreq.mode", base + "/intel_pstate/status");
  if (!cpufreq.mode) {
    cpufreq.mode = context.optional_text("cpufreq.mode", base + "/amd_pstate/status");
  }
  if (cpufreq.mode && cpufreq.mode->empty()) cpufreq.mode.reset();
  if (!cpufreq.mode) {
    context.missing("cpufreq.mode", Cause::absent,
                    "neither intel_pstate/status nor amd_pstate/status exists", base);
  }
}

void read_turbo(ProbeContext& context) {
  auto& turbo = context.inventory.cpufreq.turbo;
  const std::string base = kCpuDir;
  const std::string inverted = base + "/intel_pstate/no_turbo";
  const std::string plain = base + "/cpufreq/boost";
  if (context.root.exists(inverted)) {
    const auto off = context.flag("cpufreq.turbo.enabled", inverted);
    if (off) turbo.enabled = !*off;
    turbo.path = inverted;
  } else if (context.root.exists(plain)) {
    turbo.enabled = context.flag("cpufreq.turbo.enabled", plain);
    turbo.path = plain;
  } else {
    context.missing("cpufreq.turbo.enabled", Cause::absent,
                    "neither intel_pstate/no_turbo nor cpufreq/boost exists", base);
    context.missing("cpufreq.turbo.path", Cause::absent, "no file tells", base);
  }
}

void read_energy_bias(ProbeContext& context) {
  std::map<std::int64_t, CpuSet> by_value;
  const auto& online = context.inventory.cpu.online;
  if (!online) return;
  for (const unsigned cpu : online->to_vector()) {
    const auto path =
        std::string(kCpuDir) + "/cpu" + std::to_string(cpu) + "/power/energy_perf_bias";
    const auto text = context.optional_text("cpufreq.epb", path);
    if (!text) continue;
    const auto value = parse_int(*text);
    if (value && *value >= 0 && *value <= 15) {
      by_value[*value].add(cpu);
    } else {
      context.problem("cpufreq.epb", Error{"not a number from 0 to 15:", path, 0});
    }
  }
  for (auto& [value, cpus] : by_value) {
    context.inventory.cpufreq.epb.push_back({std::move(cpus), value});
  }
}

// scaling_cur_freq and cpuinfo_cur_freq are never read: they wake the CPU they ask about.
void run(ProbeContext& context) {
  auto places = policy_folders(context);
  if (places.empty()) places = cpu_folders(context);
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.id < b.id; });
  for (const auto& place : places) {
    context.inventory.cpufreq.policies.push_back(read_policy(context, place));
  }
  read_driver(context);
  read_turbo(context);
  read_energy_bias(context);
}

}  // namespace

extern const Probe kCpufreq{
    "cpufreq", "sys/devices/system/cpu/cpufreq, intel_pstate, amd_pstate", run,
    [](const Inventory& inventory) { return !inventory.cpufreq.policies.empty(); }};

}  // namespace lk
