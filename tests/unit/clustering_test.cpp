#include "probes/clustering.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace lk {

namespace {

// `packages` packages of `per_package` nodes of four single-thread cores each, numbered in order.
Inventory machine(int packages, int per_package, const char* vendor, std::int64_t family,
                  std::int64_t model) {
  Inventory inventory;
  inventory.host.virtualization = "none";
  inventory.host.cmdline = "quiet";
  auto& cpu = inventory.cpu;
  cpu.vendor = vendor;
  cpu.family = family;
  cpu.model_number = model;
  cpu.packages = packages;
  cpu.online = CpuSet::range(0, static_cast<unsigned>(packages * per_package * 4 - 1));
  for (unsigned each = 0; each < cpu.online->count(); ++each) cpu.core_list.push_back({each});
  unsigned next = 0;
  for (int package = 0; package < packages; ++package) {
    Package entry{package, {}, 0};
    for (int i = 0; i < per_package; ++i, next += 4) {
      NumaNode node;
      node.id = package * per_package + i;
      node.cpus = CpuSet::range(next, next + 3);
      node.memory_bytes = 1 << 30;
      node.packages = {package};
      entry.cpus |= *node.cpus;
      inventory.numa.nodes.push_back(node);
    }
    cpu.package_list.push_back(entry);
  }
  for (auto& from : inventory.numa.nodes) {
    for (const auto& to : inventory.numa.nodes) {
      from.distances[std::to_string(to.id)] =
          from.id == to.id ? 10 : (from.packages == to.packages ? 12 : 21);
    }
  }
  return inventory;
}

void one_l3_per_node(Inventory& inventory) {
  for (const auto& node : inventory.numa.nodes) inventory.cpu.l3.push_back({*node.cpus, {}});
}

bool mentions(const std::vector<std::string>& lines, const std::string& text) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

}  // namespace

TEST_CASE("clustering: one node per package is none") {
  const auto verdict = classify_clustering(machine(2, 1, "GenuineIntel", 6, 143));
  CHECK(verdict.kind == ClusteringKind::none);
  CHECK(verdict.nodes_per_package == 1);
  CHECK(verdict.ambiguous_with.empty());
  CHECK_FALSE(verdict.evidence.empty());
}

TEST_CASE("clustering: Intel is SNC, Haswell and Broadwell servers CoD, both like virtual NUMA") {
  const auto snc = classify_clustering(machine(2, 4, "GenuineIntel", 6, 143));
  CHECK(snc.kind == ClusteringKind::snc);
  CHECK(snc.nodes_per_package == 4);
  CHECK(mentions(snc.ambiguous_with, "virtual NUMA"));
  CHECK(classify_clustering(machine(2, 2, "GenuineIntel", 6, 0x3f)).kind == ClusteringKind::cod);
  const auto eight = classify_clustering(machine(1, 8, "GenuineIntel", 6, 143));
  CHECK(eight.kind == ClusteringKind::unknown);
  CHECK(eight.nodes_per_package == 8);
}

TEST_CASE("clustering: AMD is NPS, L3 as NUMA, or honestly either") {
  CHECK(classify_clustering(machine(2, 4, "AuthenticAMD", 0x19, 1)).kind == ClusteringKind::nps);
  auto l3 = machine(2, 8, "AuthenticAMD", 0x19, 1);
  one_l3_per_node(l3);
  CHECK(classify_clustering(l3).kind == ClusteringKind::l3_as_numa);
  auto either = machine(2, 4, "AuthenticAMD", 0x19, 1);
  one_l3_per_node(either);
  const auto verdict = classify_clustering(either);
  CHECK(verdict.kind == ClusteringKind::nps);
  CHECK(mentions(verdict.ambiguous_with, "l3_as_numa"));
  CHECK(classify_clustering(machine(2, 2, "AuthenticAMD", 0x10, 9)).kind ==
        ClusteringKind::unknown);
}

TEST_CASE("clustering: an unknown vendor leaves the kind open and says what it may be") {
  auto inventory = machine(2, 2, "", 0, 0);
  inventory.cpu.vendor.reset();
  const auto verdict = classify_clustering(inventory);
  CHECK(verdict.kind == ClusteringKind::unknown);
  CHECK(verdict.nodes_per_package == 2);
  CHECK(mentions(verdict.ambiguous_with, "snc"));
  CHECK(mentions(verdict.ambiguous_with, "nps"));
}

TEST_CASE("clustering: a memory-only node does not count") {
  auto inventory = machine(2, 1, "GenuineIntel", 6, 143);
  NumaNode expander;
  expander.id = 2;
  expander.cpus = CpuSet{};
  inventory.numa.nodes.push_back(expander);
  CHECK(classify_clustering(inventory).kind == ClusteringKind::none);
}

TEST_CASE("clustering: a node over several packages is interleaving, in a guest perhaps not") {
  auto inventory = machine(2, 1, "GenuineIntel", 6, 143);
  inventory.numa.nodes[0].cpus = *inventory.cpu.online;
  inventory.numa.nodes.pop_back();
  const auto bare = classify_clustering(inventory);
  CHECK(bare.kind == ClusteringKind::interleaved);
  CHECK_FALSE(bare.nodes_per_package);
  inventory.numa.clustering = bare;
  CHECK(mentions(numa_warnings(inventory), "interleaving"));
  inventory.host.virtualization = "kvm";
  CHECK(mentions(classify_clustering(inventory).ambiguous_with, "virtual machine"));
  CHECK(numa_warnings(inventory).empty());
}

TEST_CASE("clustering: uneven packages, shared CPUs, made-up nodes and no nodes") {
  auto uneven = machine(2, 2, "GenuineIntel", 6, 143);
  *uneven.numa.nodes[2].cpus |= *uneven.numa.nodes[3].cpus;
  uneven.numa.nodes.pop_back();
  CHECK(classify_clustering(uneven).kind == ClusteringKind::asymmetric);

  auto shared = machine(2, 2, "GenuineIntel", 6, 143);
  shared.numa.nodes[0].cpus->add(4);
  CHECK(classify_clustering(shared).kind == ClusteringKind::unknown);
  CHECK(mentions(numa_warnings(shared), "CPUs 4 are in two nodes"));

  auto fake = machine(1, 4, "GenuineIntel", 6, 143);
  fake.host.cmdline = "quiet numa=fake=4";
  CHECK(classify_clustering(fake).kind == ClusteringKind::unknown);
  CHECK(mentions(numa_warnings(fake), "numa=fake="));

  const auto none = classify_clustering(Inventory{});
  CHECK(none.kind == ClusteringKind::unknown);
  CHECK_FALSE(none.nodes_per_package);
}

TEST_CASE("numa warnings: flat and lopsided distances, CPUs without memory or node") {
  auto good = machine(2, 2, "GenuineIntel", 6, 143);
  good.numa.clustering = classify_clustering(good);
  CHECK(numa_warnings(good).empty());

  auto flat = good;
  for (auto& node : flat.numa.nodes) {
    for (auto& [to, distance] : node.distances) distance = to == std::to_string(node.id) ? 10 : 20;
  }
  CHECK(mentions(numa_warnings(flat), "equally far"));

  auto lopsided = good;
  lopsided.numa.nodes[0].distances["3"] = 31;
  CHECK(mentions(numa_warnings(lopsided), "differ by direction"));
  lopsided.numa.nodes[1].distances["1"] = 0;
  CHECK(mentions(numa_warnings(lopsided), "to itself"));

  auto empty = good;
  empty.numa.nodes[1].memory_bytes = 0;
  CHECK(mentions(numa_warnings(empty), "node 1 has CPUs and no memory"));
  empty.numa.nodes[1].memory_bytes.reset();
  CHECK(numa_warnings(empty).empty());

  auto homeless = good;
  homeless.cpu.online->add(99);
  CHECK(mentions(numa_warnings(homeless), "CPUs 99 are in no node"));
}

TEST_CASE("enumeration: linear, round robin, mixed, and what cannot be told") {
  CHECK(classify_enumeration(machine(2, 1, "GenuineIntel", 6, 143)) == Enumeration::linear);

  auto round = machine(2, 1, "GenuineIntel", 6, 143);
  round.numa.nodes[0].cpus = CpuSet{0, 2, 4, 6};
  round.numa.nodes[1].cpus = CpuSet{1, 3, 5, 7};
  CHECK(classify_enumeration(round) == Enumeration::round_robin);

  auto mixed = machine(2, 1, "GenuineIntel", 6, 143);
  mixed.numa.nodes[0].cpus = CpuSet{0, 1, 4, 5};
  mixed.numa.nodes[1].cpus = CpuSet{2, 3, 6, 7};
  CHECK(classify_enumeration(mixed) == Enumeration::mixed);

  CHECK(classify_enumeration(machine(1, 1, "GenuineIntel", 6, 143)) == Enumeration::unknown);
  auto tiny = machine(2, 1, "GenuineIntel", 6, 143);
  tiny.cpu.core_list = {CpuSet{0}, CpuSet{4}};
  CHECK(classify_enumeration(tiny) == Enumeration::unknown);
}

}  // namespace lk
