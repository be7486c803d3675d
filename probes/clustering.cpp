#include "probes/clustering.hpp"

#include <algorithm>
#include <set>

namespace lk {

namespace {

constexpr const char* kVirtualNuma = "virtual NUMA (firmware or hypervisor)";

std::vector<const NumaNode*> nodes_with_cpus(const Numa& numa) {
  std::vector<const NumaNode*> nodes;
  for (const auto& node : numa.nodes) {
    if (node.cpus && !node.cpus->empty()) nodes.push_back(&node);
  }
  return nodes;
}

bool is_guest(const Host& host) {
  return host.virtualization && *host.virtualization != "none" &&
         *host.virtualization != "container";
}

bool on_command_line(const Host& host, std::string_view word) {
  return host.cmdline && (" " + *host.cmdline).find(" " + std::string(word)) != std::string::npos;
}

std::string number(std::int64_t value) {
  return std::to_string(value);
}

// The packages' shares of the nodes.
struct Shape {
  std::vector<const NumaNode*> nodes;     // with CPUs
  std::vector<std::int64_t> per_package;  // nodes in each package
  std::optional<std::int64_t> spanning;   // a node with CPUs of several packages
  bool overlapping = false;               // a CPU in two nodes
  bool known_packages = false;
};

Shape shape_of(const Inventory& inventory) {
  Shape shape;
  shape.nodes = nodes_with_cpus(inventory.numa);
  shape.known_packages = !inventory.cpu.package_list.empty();
  CpuSet seen;
  for (const auto* node : shape.nodes) {
    shape.overlapping |= node->cpus->intersects(seen);
    seen |= *node->cpus;
    const auto packages =
        std::count_if(inventory.cpu.package_list.begin(), inventory.cpu.package_list.end(),
                      [&](const Package& package) { return package.cpus.intersects(*node->cpus); });
    if (packages > 1 && !shape.spanning) shape.spanning = node->id;
  }
  for (const auto& package : inventory.cpu.package_list) {
    shape.per_package.push_back(
        std::count_if(shape.nodes.begin(), shape.nodes.end(),
                      [&](const NumaNode* node) { return package.cpus.intersects(*node->cpus); }));
  }
  return shape;
}

struct L3Evidence {
  bool one_per_node = false;  // every node's CPUs are exactly one L3's
  bool spans_nodes = false;   // an L3 serves CPUs of several nodes
  std::int64_t per_package = 0;
};

L3Evidence l3_evidence(const Inventory& inventory, const Shape& shape) {
  L3Evidence evidence;
  const auto& caches = inventory.cpu.l3;
  if (caches.empty()) return evidence;
  evidence.one_per_node =
      std::all_of(shape.nodes.begin(), shape.nodes.end(), [&](const NumaNode* node) {
        return std::any_of(caches.begin(), caches.end(),
                           [&](const L3Cache& cache) { return cache.cpus == *node->cpus; });
      });
  for (const auto& cache : caches) {
    const auto nodes =
        std::count_if(shape.nodes.begin(), shape.nodes.end(),
                      [&](const NumaNode* node) { return cache.cpus.intersects(*node->cpus); });
    evidence.spans_nodes |= nodes > 1;
  }
  evidence.per_package = static_cast<std::int64_t>(caches.size()) /
                         std::max<std::int64_t>(inventory.cpu.packages.value_or(1), 1);
  return evidence;
}

bool among(std::int64_t value, std::initializer_list<std::int64_t> allowed) {
  return std::find(allowed.begin(), allowed.end(), value) != allowed.end();
}

void classify_intel(const Inventory& inventory, const L3Evidence& l3, std::int64_t nodes,
                    Clustering& out) {
  const auto model = inventory.cpu.model_number.value_or(-1);
  const bool cod = inventory.cpu.family == 6 && among(model, {0x3f, 0x4f, 0x56});
  out.ambiguous_with.emplace_back(kVirtualNuma);
  if (cod) {
    out.kind = ClusteringKind::cod;
    out.evidence.push_back("Haswell or Broadwell server (model " + number(model) + ")");
  } else if (among(nodes, {2, 3, 4, 6})) {
    out.kind = ClusteringKind::snc;
    out.evidence.push_back("GenuineIntel, model " + number(model));
  } else {
    out.evidence.push_back("no Intel processor has " + number(nodes) + " clusters in a package");
  }
  if (l3.spans_nodes) out.evidence.emplace_back("an L3 cache spans nodes of one package");
  if (l3.one_per_node) out.evidence.emplace_back("each node has an L3 cache of its own");
}

void classify_amd(const Inventory& inventory, const L3Evidence& l3, std::int64_t nodes,
                  Clustering& out) {
  const auto family = inventory.cpu.family.value_or(-1);
  out.evidence.push_back(*inventory.cpu.vendor + ", family " + number(family));
  if (family >= 0 && family < 0x17) {
    out.evidence.emplace_back(
        "before EPYC a package held several dies with a memory controller each: a fixed property, "
        "no setting");
    return;
  }
  if (l3.one_per_node) out.evidence.emplace_back("each node has an L3 cache of its own");
  if (l3.one_per_node && nodes == l3.per_package && nodes > 4) {
    out.kind = ClusteringKind::l3_as_numa;
  } else if (among(nodes, {2, 4})) {
    out.kind = ClusteringKind::nps;
    if (l3.one_per_node && nodes == l3.per_package) out.ambiguous_with.emplace_back("l3_as_numa");
  } else {
    out.evidence.push_back("no AMD setting gives " + number(nodes) + " nodes in a package");
  }
  if (is_guest(inventory.host)) out.ambiguous_with.emplace_back(kVirtualNuma);
}

void classify_several(const Inventory& inventory, const Shape& shape, Clustering& out) {
  const auto nodes = shape.per_package.front();
  out.nodes_per_package = nodes;
  out.evidence.push_back(number(nodes) + " nodes with CPUs in each of " +
                         number(static_cast<std::int64_t>(shape.per_package.size())) + " packages");
  const auto l3 = l3_evidence(inventory, shape);
  const auto& vendor = inventory.cpu.vendor;
  if (on_command_line(inventory.host, "numa=fake=")) {
    out.evidence.emplace_back("numa=fake= on the kernel command line makes nodes up");
  } else if (vendor == "GenuineIntel") {
    classify_intel(inventory, l3, nodes, out);
  } else if (vendor == "AuthenticAMD" || vendor == "HygonGenuine") {
    classify_amd(inventory, l3, nodes, out);
  } else if (vendor) {
    out.evidence.push_back("vendor " + *vendor + " has no setting of this kind that is known here");
  } else {
    out.evidence.emplace_back("the processor's vendor is unknown");
    out.ambiguous_with = {"snc", "cod", "nps", kVirtualNuma};
  }
  if (is_guest(inventory.host)) {
    out.evidence.push_back("in a virtual machine (" + *inventory.host.virtualization +
                           ") the hypervisor chooses the nodes");
  }
}

void classify_spanning(const Inventory& inventory, const Shape& shape, Clustering& out) {
  const auto& packages = inventory.cpu.package_list;
  const bool named = std::all_of(packages.begin(), packages.end(),
                                 [](const Package& package) { return package.id >= 0; });
  out.evidence.push_back("node " + number(*shape.spanning) + " has CPUs of several packages");
  if (!named) {
    out.evidence.emplace_back("the architecture names no packages: groups of sibling CPUs only");
    return;
  }
  out.kind = ClusteringKind::interleaved;
  if (on_command_line(inventory.host, "numa=off")) {
    out.evidence.emplace_back("numa=off on the kernel command line");
  } else if (on_command_line(inventory.host, "acpi=off")) {
    out.evidence.emplace_back("acpi=off on the kernel command line");
  } else if (is_guest(inventory.host)) {
    out.ambiguous_with.emplace_back("a virtual machine without virtual NUMA");
  } else {
    out.ambiguous_with.emplace_back("firmware without an SRAT table");
    if (!inventory.host.cmdline) out.ambiguous_with.emplace_back("numa=off");
  }
}

}  // namespace

Clustering classify_clustering(const Inventory& inventory) {
  Clustering out;
  const auto shape = shape_of(inventory);
  if (inventory.numa.nodes.empty()) {
    out.evidence.emplace_back("the kernel shows no nodes (sys/devices/system/node)");
  } else if (shape.nodes.empty()) {
    out.evidence.emplace_back("no node's CPUs are known");
  } else if (!shape.known_packages) {
    out.evidence.emplace_back("the packages are unknown");
  } else if (shape.overlapping) {
    out.evidence.emplace_back("nodes share CPUs");
  } else if (shape.spanning) {
    classify_spanning(inventory, shape, out);
  } else if (std::any_of(shape.per_package.begin(), shape.per_package.end(),
                         [&](auto each) { return each != shape.per_package.front(); })) {
    out.kind = ClusteringKind::asymmetric;
    std::string counts;
    for (const auto each : shape.per_package) counts += (counts.empty() ? "" : ", ") + number(each);
    out.evidence.push_back("nodes with CPUs per package: " + counts);
  } else if (shape.per_package.front() == 1) {
    out.kind = ClusteringKind::none;
    out.nodes_per_package = 1;
    out.evidence.emplace_back("one node with CPUs in each package");
  } else {
    classify_several(inventory, shape, out);
  }
  return out;
}

}  // namespace lk
