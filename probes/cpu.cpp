#include <algorithm>

#include "base/text.hpp"
#include "probes/cpuinfo.hpp"
#include "probes/hwloc_topology.hpp"
#include "probes/probe.hpp"
#include "probes/topology.hpp"

namespace lk {

namespace {

constexpr const char* kDir = "sys/devices/system/cpu";

std::optional<std::int64_t> cpu_number(std::string_view name) {
  if (!name.starts_with("cpu")) return std::nullopt;
  const auto number = parse_int(name.substr(3));
  if (!number || *number < 0 || *number >= std::int64_t{CpuSet::kMost}) return std::nullopt;
  return *number;
}

CpuSet cpu_folders(ProbeContext& context) {
  CpuSet cpus;
  for (const auto& name : context.list("cpu.present", kDir)) {
    if (const auto number = cpu_number(name)) cpus.add(static_cast<unsigned>(*number));
  }
  return cpus;
}

// A list that some kernels and captures lack: no Problem for that, others have the answer.
std::optional<CpuSet> spare_list(ProbeContext& context, const std::string& field,
                                 const std::string& path) {
  const auto text = context.optional_text(field, path);
  if (!text) return std::nullopt;
  auto set = CpuSet::parse_list(*text);
  if (set && !set->empty()) return *std::move(set);
  context.problem(field, Error{set ? "names no CPU:" : set.error().what + ":", path, 0});
  return std::nullopt;
}

// Each folder's own `online` file; CPU 0 often has none and then cannot be taken offline.
CpuSet online_by_folders(ProbeContext& context, const CpuSet& folders) {
  CpuSet online;
  for (const unsigned cpu : folders.to_vector()) {
    const auto text = context.optional_text(
        "cpu.online", std::string(kDir) + "/cpu" + std::to_string(cpu) + "/online");
    if (text != "0") online.add(cpu);
  }
  return online;
}

void read_sets(ProbeContext& context, const CpuInfo& info) {
  auto& cpu = context.inventory.cpu;
  const std::string dir = kDir;
  const auto folders = cpu_folders(context);
  cpu.online = spare_list(context, "cpu.online", dir + "/online");
  if (!cpu.online && !folders.empty()) cpu.online = online_by_folders(context, folders);
  if (!cpu.online && !info.processors.empty()) cpu.online = info.processors;
  if (!cpu.online) {
    context.missing("cpu.online", Cause::absent, "neither sysfs nor proc/cpuinfo lists CPUs",
                    dir + "/online");
    context.missing("cpu.threads", Cause::absent, "the online CPUs are unknown");
  }

  cpu.present = spare_list(context, "cpu.present", dir + "/present");
  if (!cpu.present && !folders.empty()) cpu.present = folders;
  if (!cpu.present) {
    context.missing("cpu.present", Cause::absent, "no CPU folders and no list", dir + "/present");
  }
  if (cpu.present && cpu.online) {
    cpu.offline = *cpu.present - *cpu.online;
  } else {
    context.missing("cpu.offline", Cause::absent, "the present or the online CPUs are unknown");
  }
  cpu.isolated = context.cpu_list("cpu.isolated", dir + "/isolated");
  // An older kernel prints "(null)" where no CPU is meant.
  const auto nohz = context.text("cpu.nohz_full", dir + "/nohz_full");
  if (nohz && *nohz != "(null)") {
    cpu.nohz_full = context.cpu_list("cpu.nohz_full", dir + "/nohz_full");
  } else if (nohz) {
    cpu.nohz_full = CpuSet{};
  }
}

void read_allowed(ProbeContext& context) {
  const std::string path = "proc/self/status";
  const auto text = context.text("cpu.allowed", path);
  if (!text) return;
  for (const auto line : split(*text, '\n')) {
    constexpr std::string_view kList = "Cpus_allowed_list:";
    if (!line.starts_with(kList)) continue;
    auto set = CpuSet::parse_list(line.substr(kList.size()));
    if (set && !set->empty()) {
      context.inventory.cpu.allowed = *std::move(set);
    } else {
      context.problem("cpu.allowed", Error{"no CPUs in Cpus_allowed_list of", path, 0});
    }
    return;
  }
  context.missing("cpu.allowed", Cause::absent, "has no line Cpus_allowed_list", path);
}

void store_number(ProbeContext& context, const std::string& field, bool x86,
                  const std::optional<std::string>& text, std::optional<std::int64_t>& into) {
  if (!text || !x86) {
    context.missing(field, x86 ? Cause::absent : Cause::not_applicable,
                    x86 ? "proc/cpuinfo does not print it" : "only x86 has it", "proc/cpuinfo");
    return;
  }
  const auto number = parse_int(*text);
  if (number) {
    into = *number;
  } else {
    context.problem(field, Error{number.error().what, "proc/cpuinfo", 0});
  }
}

CpuInfo read_cpuinfo(ProbeContext& context) {
  auto& cpu = context.inventory.cpu;
  const auto text = context.root.read("proc/cpuinfo", Root::kTableLimit);
  if (!text) {
    for (const auto* field : {"cpu.vendor", "cpu.model", "cpu.family", "cpu.model_number"}) {
      context.problem(field, text.error());
    }
    return {};
  }
  auto info = parse_cpuinfo(*text);
  cpu.vendor = info.vendor;
  cpu.model = info.model;
  if (!cpu.vendor) {
    context.missing("cpu.vendor", Cause::absent, "does not name a vendor", "proc/cpuinfo");
  }
  if (!cpu.model) {
    context.missing("cpu.model", Cause::absent, "does not name a model", "proc/cpuinfo");
  }
  store_number(context, "cpu.family", info.has_flags, info.family, cpu.family);
  store_number(context, "cpu.model_number", info.has_flags, info.model_number, cpu.model_number);
  return info;
}

constexpr const char* kHwloc = "hwloc";

// hwloc is asked second: it fills gaps and is compared, and never overrules the lists.
void take_hwloc(ProbeContext& context, std::optional<HwlocChild>& child) {
  if (!context.enter(kHwloc, "cpu.package_list") || !child) return;
  auto& cpu = context.inventory.cpu;
  const auto theirs = child->answer([&] { context.announce(kHwloc); });
  if (!theirs) {
    context.missing("cpu.package_list", Cause::not_applicable,
                    "not compared with hwloc: " + theirs.error().message(), theirs.error().path);
    return;
  }
  const bool no_size = cpu.l3.empty();
  merge_hwloc(*theirs, cpu, context.inventory.numa.warnings);
  if (no_size && !cpu.l3.empty()) {
    context.missing("cpu.l3[].size_bytes", Cause::absent, "only hwloc knows of the cache");
  }
}

void count_groups(ProbeContext& context) {
  auto& cpu = context.inventory.cpu;
  if (cpu.package_list.empty()) {
    context.missing("cpu.packages", Cause::absent,
                    "no CPU states its package's CPUs or its physical_package_id");
  } else {
    cpu.packages = static_cast<std::int64_t>(cpu.package_list.size());
  }
  if (cpu.core_list.empty()) {
    context.missing("cpu.cores", Cause::absent, "no CPU states its siblings or its core_id");
    return;
  }
  cpu.cores = static_cast<std::int64_t>(cpu.core_list.size());
  std::set<std::int64_t> sizes;
  for (const auto& core : cpu.core_list) sizes.insert(static_cast<std::int64_t>(core.count()));
  cpu.threads_per_core.assign(sizes.begin(), sizes.end());
}

void read_groups(ProbeContext& context, std::optional<HwlocChild>& hwloc) {
  auto& cpu = context.inventory.cpu;
  if (!cpu.online) {
    context.missing("cpu.packages", Cause::absent, "the online CPUs are unknown");
    context.missing("cpu.cores", Cause::absent, "the online CPUs are unknown");
    return;
  }
  cpu.threads = static_cast<std::int64_t>(cpu.online->count());
  auto topology = read_topology(context, *cpu.online);
  auto& warnings = context.inventory.numa.warnings;
  warnings.insert(warnings.end(), topology.conflicts.begin(), topology.conflicts.end());
  cpu.package_list = std::move(topology.packages);
  cpu.core_list = std::move(topology.cores);
  cpu.l3 = std::move(topology.l3);
  take_hwloc(context, hwloc);
  count_groups(context);
}

void run(ProbeContext& context) {
  std::optional<HwlocChild> hwloc;  // works while we read
  if (!context.left_out(kHwloc)) hwloc.emplace(context.root);
  const auto info = read_cpuinfo(context);
  read_sets(context, info);
  read_allowed(context);
  read_groups(context, hwloc);
  context.inventory.cpu.smt = context.word("cpu.smt", std::string(kDir) + "/smt/control");
}

}  // namespace

extern const Probe kCpu{
    "cpu", "sys/devices/system/cpu, proc/cpuinfo", run,
    [](const Inventory& inventory) { return inventory.cpu.online.has_value(); }};

}  // namespace lk
