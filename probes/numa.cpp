#include <algorithm>

#include "base/text.hpp"
#include "probes/clustering.hpp"
#include "probes/probe.hpp"

namespace lk {

namespace {

constexpr const char* kDir = "sys/devices/system/node";

std::optional<std::int64_t> number_after(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  const auto number = parse_int(name.substr(prefix.size()));
  if (!number || *number < 0 || *number >= std::int64_t{CpuSet::kMost}) return std::nullopt;
  return *number;
}

// cpulist; cpumap on kernels before 2.6.28; or the links in the CPUs' own folders.
std::optional<CpuSet> read_cpus(ProbeContext& context, const std::string& dir, std::int64_t id) {
  const std::string field = "numa.nodes[].cpus";
  std::optional<CpuSet> cpus;
  if (const auto text = context.optional_text(field, dir + "/cpulist")) {
    const auto set = CpuSet::parse_list(*text);
    if (set) return *set;
    context.problem(field, Error{set.error().what, dir + "/cpulist", 0});
  }
  if (const auto text = context.optional_text(field, dir + "/cpumap")) {
    const auto set = CpuSet::parse_mask(*text);
    if (set) return *set;
    context.problem(field, Error{set.error().what, dir + "/cpumap", 0});
  }
  const auto& online = context.inventory.cpu.online;
  if (online) {
    CpuSet linked;
    for (const unsigned cpu : online->to_vector()) {
      const auto name = "/cpu" + std::to_string(cpu);
      if (context.root.exists(dir + name) ||
          context.root.exists("sys/devices/system/cpu" + name + "/node" + std::to_string(id))) {
        linked.add(cpu);
      }
    }
    if (!linked.empty()) return linked;
  }
  context.missing(field, Cause::absent, "neither cpulist nor cpumap, and no links", dir);
  return std::nullopt;
}

// "Node 0 MemTotal:       97296472 kB"
std::optional<std::int64_t> read_memory(ProbeContext& context, const std::string& dir) {
  const std::string field = "numa.nodes[].memory_bytes";
  const auto path = dir + "/meminfo";
  const auto text = context.text(field, path);
  if (!text) return std::nullopt;
  for (const auto line : split(*text, '\n')) {
    const auto parts = words(line);
    const auto key = std::find(parts.begin(), parts.end(), "MemTotal:");
    if (key == parts.end() || parts.end() - key < 2) continue;
    const auto kib = parse_int(*(key + 1));
    if (kib && *kib >= 0 && *kib < (std::int64_t{1} << 50)) {
      context.keep_text(path, trim(line));
      return *kib * 1024;
    }
    context.missing(field, Cause::malformed, "MemTotal is no size", path);
    return std::nullopt;
  }
  context.missing(field, Cause::malformed, "has no line MemTotal", path);
  return std::nullopt;
}

std::vector<HugePages> read_hugepages(ProbeContext& context, const std::string& dir) {
  std::vector<HugePages> sizes;
  for (const auto& name : context.list("numa.nodes[].hugepages", dir + "/hugepages")) {
    constexpr std::string_view kPrefix = "hugepages-";
    if (!name.starts_with(kPrefix) || !name.ends_with("kB")) continue;
    const auto kib =
        parse_int(std::string_view(name).substr(kPrefix.size(), name.size() - kPrefix.size() - 2));
    if (!kib) continue;
    HugePages pages{*kib * 1024, {}};
    pages.total = context.integer("numa.nodes[].hugepages[].total",
                                  dir + "/hugepages/" + name + "/nr_hugepages");
    sizes.push_back(pages);
  }
  return sizes;
}

// One column per online node in ascending order, not one per node number.
void read_distances(ProbeContext& context, const std::string& dir,
                    const std::vector<std::int64_t>& columns, NumaNode& node) {
  const std::string field = "numa.nodes[].distances";
  const auto path = dir + "/distance";
  const auto text = context.text(field, path);
  if (!text) return;
  const auto values = words(*text);
  if (values.size() != columns.size()) {
    context.missing(field, Cause::malformed,
                    std::to_string(values.size()) + " distances for " +
                        std::to_string(columns.size()) + " nodes",
                    path);
    return;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto distance = parse_int(values[i]);
    if (!distance) {
      context.problem(field, Error{distance.error().what, path, 0});
      node.distances.clear();
      return;
    }
    node.distances[std::to_string(columns[i])] = *distance;
  }
}

void read_packages(const Cpu& cpu, NumaNode& node) {
  std::set<std::int64_t> ids;
  for (const auto& package : cpu.package_list) {
    if (node.cpus && package.cpus.intersects(*node.cpus)) ids.insert(package.id);
  }
  node.packages.assign(ids.begin(), ids.end());
}

std::vector<std::int64_t> node_ids(ProbeContext& context) {
  const auto names = context.root.list(kDir);
  if (!names) {
    context.problem("numa.nodes", names.error());
    return {};
  }
  std::vector<std::int64_t> ids;
  for (const auto& name : *names) {
    if (const auto id = number_after(name, "node")) ids.push_back(*id);
  }
  std::sort(ids.begin(), ids.end());
  if (ids.empty()) context.missing("numa.nodes", Cause::absent, "holds no node", kDir);
  return ids;
}

void run(ProbeContext& context) {
  auto& inventory = context.inventory;
  const auto ids = node_ids(context);
  std::vector<std::int64_t> columns = ids;
  if (const auto text = context.optional_text("numa.nodes", std::string(kDir) + "/online")) {
    const auto online = CpuSet::parse_list(*text);
    if (online && !online->empty()) {
      columns.clear();
      for (const unsigned id : online->to_vector()) columns.push_back(id);
    }
  }
  for (const auto id : ids) {
    const auto dir = std::string(kDir) + "/node" + std::to_string(id);
    NumaNode node;
    node.id = id;
    node.cpus = read_cpus(context, dir, id);
    if (node.cpus && inventory.cpu.online) *node.cpus &= *inventory.cpu.online;
    node.memory_bytes = read_memory(context, dir);
    read_distances(context, dir, columns, node);
    node.hugepages = read_hugepages(context, dir);
    read_packages(inventory.cpu, node);
    inventory.numa.nodes.push_back(std::move(node));
  }
  auto& clustering = inventory.numa.clustering;
  clustering = classify_clustering(inventory);
  if (!clustering.nodes_per_package) {
    context.missing("numa.clustering.nodes_per_package", Cause::not_applicable,
                    clustering.evidence.empty() ? "the packages have no whole nodes"
                                                : clustering.evidence.front());
  }
  auto warnings = numa_warnings(inventory);
  inventory.numa.warnings.insert(inventory.numa.warnings.end(), warnings.begin(), warnings.end());
  inventory.cpu.enumeration = classify_enumeration(inventory);
}

}  // namespace

extern const Probe kNuma{"numa", "sys/devices/system/node", run,
                         [](const Inventory& inventory) { return !inventory.numa.nodes.empty(); }};

}  // namespace lk
