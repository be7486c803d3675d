#include "probes/topology.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace lk {

namespace {

constexpr std::string_view kCpuDir = "sys/devices/system/cpu/cpu";

struct SetFile {
  std::string_view name;
  bool mask;
};

// Newest name first; the one that a host has is the same for all its CPUs.
constexpr std::array<SetFile, 4> kPackageFiles{{{"topology/package_cpus_list", false},
                                                {"topology/core_siblings_list", false},
                                                {"topology/package_cpus", true},
                                                {"topology/core_siblings", true}}};
constexpr std::array<SetFile, 4> kCoreFiles{{{"topology/core_cpus_list", false},
                                             {"topology/thread_siblings_list", false},
                                             {"topology/core_cpus", true},
                                             {"topology/thread_siblings", true}}};
constexpr std::array<SetFile, 2> kShareFiles{
    {{"shared_cpu_list", false}, {"shared_cpu_map", true}}};

Result<CpuSet> parse(std::string_view text, bool mask) {
  return mask ? CpuSet::parse_mask(text) : CpuSet::parse_list(text);
}

// Reads one of several files that say the same, and tries the one that was found last time first.
template <std::size_t N>
class SetReader {
 public:
  SetReader(ProbeContext& context, const std::array<SetFile, N>& files, std::string field)
      : context_(context), files_(files), field_(std::move(field)) {}

  std::optional<CpuSet> read(const std::string& dir) {
    for (std::size_t i = 0; i < N; ++i) {
      const std::size_t which = (found_ + i) % N;
      const auto path = dir + std::string(files_[which].name);
      const auto text = context_.optional_text(field_, path);
      if (!text) continue;
      auto set = parse(*text, files_[which].mask);
      if (set && !set->empty()) {
        found_ = which;
        return *std::move(set);
      }
      const std::string why = set ? "names no CPU" : set.error().what;
      context_.problem(field_, Error{why + ":", path, 0});
    }
    return std::nullopt;
  }

 private:
  ProbeContext& context_;
  const std::array<SetFile, N>& files_;
  std::string field_;
  std::size_t found_ = 0;
};

std::string cpu_dir(unsigned cpu) {
  return std::string(kCpuDir) + std::to_string(cpu) + '/';
}

// Groups of CPUs that state the same set, each group with the set it states.
struct Groups {
  std::vector<CpuSet> stated;
  std::vector<unsigned> first;         // the lowest CPU that states it
  std::map<unsigned, std::size_t> of;  // CPU -> index
};

void add_statement(Groups& groups, unsigned cpu, const CpuSet& set) {
  // Usually the CPU belongs to a set that is known already; few sets, so look from the newest.
  for (std::size_t i = groups.stated.size(); i-- > 0;) {
    if (groups.stated[i] == set) {
      groups.of[cpu] = i;
      return;
    }
  }
  groups.of[cpu] = groups.stated.size();
  groups.stated.push_back(set);
  groups.first.push_back(cpu);
}

std::string cpus_text(const CpuSet& set) {
  return "CPUs " + set.to_list();
}

void note_overlaps(const Groups& groups, const std::string& what,
                   std::vector<std::string>& conflicts) {
  std::map<unsigned, std::size_t> owner;
  for (std::size_t i = 0; i < groups.stated.size(); ++i) {
    for (const unsigned cpu : groups.stated[i].to_vector()) {
      const auto [known, is_new] = owner.try_emplace(cpu, i);
      if (is_new) continue;
      conflicts.push_back(what + " overlap: " + cpus_text(groups.stated[known->second]) + " and " +
                          cpus_text(groups.stated[i]));
      return;
    }
  }
}

template <std::size_t N>
Groups read_groups(const CpuSet& online, SetReader<N>& reader, const std::string& what,
                   std::vector<std::string>& conflicts) {
  Groups groups;
  for (const unsigned cpu : online.to_vector()) {
    auto set = reader.read(cpu_dir(cpu));
    if (!set) continue;
    *set &= online;
    if (!set->contains(cpu)) {
      conflicts.push_back("CPU " + std::to_string(cpu) + " is missing from its own " + what +
                          " set and counted alone");
      set = CpuSet{cpu};
    }
    add_statement(groups, cpu, *set);
  }
  note_overlaps(groups, what + " sets", conflicts);
  return groups;
}

std::optional<std::int64_t> read_id(ProbeContext& context, const std::string& field, unsigned cpu,
                                    const char* name) {
  const auto path = cpu_dir(cpu) + "topology/" + name;
  const auto text = context.optional_text(field, path);
  if (!text) return std::nullopt;
  const auto number = parse_int(*text);
  if (number) return *number;
  context.problem(field, Error{number.error().what, path, 0});
  return std::nullopt;
}

// For hosts (or captures) that state identifiers and no sets. An identifier of -1 says nothing.
Groups packages_by_id(ProbeContext& context, const CpuSet& online) {
  std::map<std::int64_t, CpuSet> by_id;
  for (const unsigned cpu : online.to_vector()) {
    const auto id = read_id(context, "cpu.packages", cpu, "physical_package_id");
    if (id && *id >= 0) by_id[*id].add(cpu);
  }
  Groups groups;
  for (const auto& [id, cpus] : by_id) {
    for (const unsigned cpu : cpus.to_vector()) add_statement(groups, cpu, cpus);
  }
  return groups;
}

Groups cores_by_id(ProbeContext& context, const CpuSet& online, const Groups& packages) {
  std::map<std::array<std::int64_t, 3>, CpuSet> by_id;
  for (const unsigned cpu : online.to_vector()) {
    const auto core = read_id(context, "cpu.cores", cpu, "core_id");
    const auto package = packages.of.find(cpu);
    if (!core || *core < 0 || package == packages.of.end()) continue;
    const auto die = read_id(context, "cpu.cores", cpu, "die_id").value_or(-1);
    by_id[{static_cast<std::int64_t>(package->second), die, *core}].add(cpu);
  }
  Groups groups;
  for (const auto& [id, cpus] : by_id) {
    for (const unsigned cpu : cpus.to_vector()) add_statement(groups, cpu, cpus);
  }
  return groups;
}

std::vector<Package> as_packages(ProbeContext& context, const Groups& groups,
                                 const std::vector<CpuSet>& cores,
                                 std::vector<std::string>& conflicts) {
  std::vector<Package> packages(groups.stated.size());
  for (const auto& [cpu, index] : groups.of) packages[index].cpus.add(cpu);
  std::map<std::int64_t, std::size_t> ids;
  for (std::size_t i = 0; i < packages.size(); ++i) {
    auto& package = packages[i];
    package.id =
        read_id(context, "cpu.packages", groups.first[i], "physical_package_id").value_or(-1);
    if (package.id >= 0 && !ids.try_emplace(package.id, i).second) {
      conflicts.push_back("two packages have the id " + std::to_string(package.id));
    }
  }
  for (const auto& core : cores) {
    const auto package = groups.of.find(core.first());
    if (package != groups.of.end()) ++packages[package->second].cores;
  }
  std::sort(packages.begin(), packages.end(),
            [](const Package& a, const Package& b) { return a.cpus.first() < b.cpus.first(); });
  return packages;
}

// "32768K", "36M", "1024"
std::optional<std::int64_t> cache_bytes(std::string_view text) {
  std::int64_t unit = 1;
  if (text.ends_with('K')) unit = 1024;
  if (text.ends_with('M')) unit = std::int64_t{1024} * 1024;
  if (unit > 1) text.remove_suffix(1);
  const auto number = parse_int(text);
  if (!number || *number <= 0 || *number > (std::int64_t{1} << 40)) return std::nullopt;
  return *number * unit;
}

void read_l3_of(ProbeContext& context, unsigned cpu, const CpuSet& online, SetReader<2>& reader,
                std::vector<L3Cache>& caches) {
  const auto base = cpu_dir(cpu) + "cache";
  auto names = context.list("cpu.l3", base);
  // Third-level caches come last, so look there first.
  std::reverse(names.begin(), names.end());
  for (const auto& name : names) {
    if (!name.starts_with("index")) continue;
    const auto dir = base + '/' + name + '/';
    const auto level = context.optional_text("cpu.l3", dir + "level");
    if (!level || *level != "3") continue;
    auto cpus = reader.read(dir);
    if (!cpus) continue;
    *cpus &= online;
    if (!cpus->contains(cpu)) continue;
    L3Cache cache{*std::move(cpus), {}};
    if (const auto size = context.word("cpu.l3[].size_bytes", dir + "size")) {
      cache.size_bytes = cache_bytes(*size);
      if (!cache.size_bytes) {
        context.missing("cpu.l3[].size_bytes", Cause::malformed, "not a cache size", dir + "size");
      }
    }
    caches.push_back(std::move(cache));
    return;
  }
}

std::vector<L3Cache> read_l3(ProbeContext& context, const CpuSet& online) {
  SetReader reader(context, kShareFiles, "cpu.l3");
  std::vector<L3Cache> caches;
  CpuSet seen;
  for (const unsigned cpu : online.to_vector()) {
    if (seen.contains(cpu)) continue;
    const auto before = caches.size();
    read_l3_of(context, cpu, online, reader, caches);
    if (caches.size() > before) seen |= caches.back().cpus;
  }
  return caches;
}

}  // namespace

Topology read_topology(ProbeContext& context, const CpuSet& online) {
  Topology topology;
  SetReader package_reader(context, kPackageFiles, "cpu.packages");
  auto packages = read_groups(online, package_reader, "package", topology.conflicts);
  if (packages.stated.empty()) packages = packages_by_id(context, online);
  SetReader core_reader(context, kCoreFiles, "cpu.cores");
  auto cores = read_groups(online, core_reader, "core", topology.conflicts);
  if (cores.stated.empty()) cores = cores_by_id(context, online, packages);

  topology.cores = std::move(cores.stated);
  std::sort(topology.cores.begin(), topology.cores.end(),
            [](const CpuSet& a, const CpuSet& b) { return a.first() < b.first(); });
  topology.packages = as_packages(context, packages, topology.cores, topology.conflicts);
  topology.l3 = read_l3(context, online);
  return topology;
}

}  // namespace lk
