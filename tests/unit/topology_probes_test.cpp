// The probes cpu and numa on small trees.
#include <doctest/doctest.h>

#include <algorithm>

#include "probes/hwloc_topology.hpp"
#include "probes/probe.hpp"
#include "tree.hpp"

namespace lk {

namespace {

using test::Tree;

const std::string kCpus = "sys/devices/system/cpu/";
const std::string kNodes = "sys/devices/system/node/";

void add_cpu(Tree& tree, int cpu, const std::string& package, const std::string& core,
             bool old_names = false) {
  const auto dir = kCpus + "cpu" + std::to_string(cpu) + "/topology/";
  tree.file(dir + (old_names ? "core_siblings" : "package_cpus_list"), package + "\n");
  tree.file(dir + (old_names ? "thread_siblings" : "core_cpus_list"), core + "\n");
}

const ProbeReport& report(const Inventory& inventory, std::string_view name) {
  return *std::find_if(inventory.probes.begin(), inventory.probes.end(),
                       [&](const ProbeReport& each) { return each.name == name; });
}

}  // namespace

TEST_CASE("cpu: packages and cores are sibling sets, whatever their ids") {
  Tree tree{{kCpus + "online", "0-3\n"}, {kCpus + "present", "0-5\n"}};
  for (int cpu = 0; cpu < 4; ++cpu) {
    add_cpu(tree, cpu, cpu < 2 ? "0-1" : "2-3", cpu < 2 ? "0-1" : "2-3");
    tree.file(kCpus + "cpu" + std::to_string(cpu) + "/topology/physical_package_id", "-1\n");
  }
  const auto cpu = collect(tree.root()).cpu;
  CHECK(cpu.online->to_list() == "0-3");
  CHECK(cpu.offline->to_list() == "4-5");
  CHECK(cpu.packages == 2);
  CHECK(cpu.cores == 2);
  CHECK(cpu.threads == 4);
  CHECK(cpu.threads_per_core == std::vector<std::int64_t>{2});
  CHECK(cpu.package_list.at(0).id == -1);
  CHECK(cpu.package_list.at(1).cores == 1);
}

TEST_CASE("cpu: old names and masks; folders say what is online, CPU 0 may be offline") {
  Tree tree;
  add_cpu(tree, 1, "0000000e", "00000006", true);
  add_cpu(tree, 2, "0000000e", "00000006", true);
  add_cpu(tree, 3, "0000000e", "00000008", true);
  tree.file(kCpus + "cpu0/online", "0\n");
  tree.file(kCpus + "cpu2/online", "1\n");
  const auto cpu = collect(tree.root()).cpu;
  CHECK(cpu.online->to_list() == "1-3");
  CHECK(cpu.offline->to_list() == "0");
  CHECK(cpu.packages == 1);
  CHECK(cpu.cores == 2);
  CHECK(cpu.threads_per_core == std::vector<std::int64_t>{1, 2});
}

TEST_CASE("cpu: sets count online CPUs only, and core ids count per package and die") {
  Tree tree{{kCpus + "online", "0,2\n"}, {kCpus + "present", "0-3\n"}};
  add_cpu(tree, 0, "0-3", "0-1");
  add_cpu(tree, 2, "0-3", "2-3");
  CHECK(collect(tree.root()).cpu.threads_per_core == std::vector<std::int64_t>{1});

  Tree ids{{kCpus + "online", "0-3\n"}};
  for (int cpu = 0; cpu < 4; ++cpu) {
    const auto dir = kCpus + "cpu" + std::to_string(cpu) + "/topology/";
    ids.file(dir + "physical_package_id", cpu < 2 ? "0\n" : "1\n");
    ids.file(dir + "core_id", cpu % 2 == 0 ? "0\n" : "1\n");
  }
  const auto cpu = collect(ids.root()).cpu;
  CHECK(cpu.packages == 2);
  CHECK(cpu.cores == 4);
}

TEST_CASE("cpu: contradictions become warnings") {
  Tree tree{{kCpus + "online", "0-3\n"}};
  add_cpu(tree, 0, "0-3", "0");
  add_cpu(tree, 1, "0-3", "0");
  add_cpu(tree, 2, "2-3", "2");
  add_cpu(tree, 3, "2-3", "3");
  const auto inventory = collect(tree.root());
  CHECK(inventory.cpu.packages == 2);
  CHECK(inventory.cpu.cores == 4);
  REQUIRE(inventory.numa.warnings.size() >= 2);
  CHECK(inventory.numa.warnings[0] == "package sets overlap: CPUs 0-3 and CPUs 2-3");
  CHECK(inventory.numa.warnings[1] == "CPU 1 is missing from its own core set and counted alone");
}

TEST_CASE("cpu: an empty online file is no answer; without folders proc/cpuinfo counts") {
  Tree tree{{kCpus + "online", ""}, {"proc/cpuinfo", "processor : 0\nprocessor : 1\n"}};
  const auto inventory = collect(tree.root());
  CHECK(inventory.cpu.online->to_list() == "0-1");
  CHECK(report(inventory, "cpu").status == ProbeStatus::partial);
}

TEST_CASE("cpu: allowed comes from the tree's own status, never from this process") {
  Tree without;
  CHECK_FALSE(collect(without.root()).cpu.allowed);
  Tree with{{"proc/self/status", "Name:\tcat\nCpus_allowed:\tf\nCpus_allowed_list:\t0-2\n"}};
  CHECK(collect(with.root()).cpu.allowed->to_list() == "0-2");
}

TEST_CASE("numa: distances go by the online nodes, not by node number") {
  Tree tree{{kNodes + "online", "0,8\n"}, {kCpus + "online", "0-3\n"}};
  tree.file(kNodes + "node0/cpulist", "0-3,7\n");
  tree.file(kNodes + "node0/distance", "10 40\n");
  tree.file(kNodes + "node0/meminfo", "Node 0 MemTotal:       1024 kB\nNode 0 MemFree: 1 kB\n");
  tree.file(kNodes + "node8/cpulist", "\n");
  tree.file(kNodes + "node8/distance", "40 10 99\n");
  const auto inventory = collect(tree.root());
  REQUIRE(inventory.numa.nodes.size() == 2);
  const auto& first = inventory.numa.nodes[0];
  CHECK(first.cpus->to_list() == "0-3");
  CHECK(first.memory_bytes == 1024 * 1024);
  CHECK(first.distances == std::map<std::string, std::int64_t>{{"0", 10}, {"8", 40}});
  const auto& second = inventory.numa.nodes[1];
  CHECK(second.cpus->empty());
  CHECK_FALSE(second.memory_bytes);
  CHECK(second.distances.empty());
}

TEST_CASE("numa: no folder of nodes is no node, not node 0") {
  Tree tree{{kCpus + "online", "0-3\n"}};
  const auto inventory = collect(tree.root());
  CHECK(inventory.numa.nodes.empty());
  CHECK(inventory.numa.clustering.kind == ClusteringKind::unknown);
  CHECK(report(inventory, "numa").status == ProbeStatus::unavailable);
  CHECK(report(inventory, "numa").problems.at(0).field == "numa.nodes");
}

TEST_CASE("numa: masks of old kernels, and links where there is no list at all") {
  Tree tree{{kCpus + "online", "0-3\n"}, {kNodes + "node0/cpumap", "00000003\n"}};
  tree.dir(kNodes + "node1/cpu2");
  tree.dir(kNodes + "node1/cpu3");
  const auto nodes = collect(tree.root()).numa.nodes;
  REQUIRE(nodes.size() == 2);
  CHECK(nodes[0].cpus->to_list() == "0-1");
  CHECK(nodes[1].cpus->to_list() == "2-3");
}

TEST_CASE("hwloc: links that leave the tree or lead through others keep it away") {
  Tree good{{kCpus + "cpu0/topology/core_id", "0\n"}, {kNodes + "node0/cpulist", "0\n"}};
  good.link(kCpus + "cpu0/node0", "../../node/node0");
  good.link(kCpus + "cpu0/subsystem", "../../../../bus/cpu");
  CHECK(check_links(good.root()));

  Tree absolute;
  absolute.link(kCpus + "cpu0", "/sys/devices/system/cpu/cpu0");
  CHECK_FALSE(check_links(absolute.root()));
  Tree upward;
  upward.dir(kCpus);
  upward.link(kCpus + "cpu0", "../../../../../../sys/devices/system/cpu/cpu0");
  CHECK_FALSE(check_links(upward.root()));
  Tree whole;
  whole.link("sys/devices", "/sys/devices");
  CHECK_FALSE(check_links(whole.root()));
  Tree chained;
  chained.dir(kCpus);
  chained.link(kCpus + "cpu0", "../../x/cpu0");
  chained.link("sys/devices/x", "/sys/devices/system/cpu");
  CHECK_FALSE(check_links(chained.root()));
  Tree loop;
  loop.dir(kCpus);
  loop.link(kCpus + "cpu0", "cpu0");
  CHECK_FALSE(check_links(loop.root()));
}

TEST_CASE("hwloc: fills gaps, is compared, and changes nothing that the lists told") {
  Cpu ours;
  ours.package_list = {{0, CpuSet{0, 1}, 2}, {1, CpuSet{2, 3}, 2}};
  ours.core_list = {CpuSet{0}, CpuSet{1}, CpuSet{2}, CpuSet{3}};
  std::vector<std::string> warnings;
  merge_hwloc({{CpuSet{0, 1, 2, 3}}, ours.core_list, {CpuSet{0, 1}}}, ours, warnings);
  CHECK(ours.package_list.size() == 2);
  CHECK(ours.l3.at(0).cpus == CpuSet{0, 1});
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0] == "hwloc and the sysfs lists differ on packages: 1 and 2; the lists are used");

  Cpu empty;
  warnings.clear();
  merge_hwloc({{CpuSet{0, 1}}, {CpuSet{0}, CpuSet{1}}, {}}, empty, warnings);
  CHECK(empty.package_list.at(0).cores == 2);
  CHECK(empty.core_list.size() == 2);
  CHECK(warnings.empty());
}

TEST_CASE("hwloc: a process that was not started for a tree does not ask it") {
  Tree tree{{kCpus + "online", "0\n"}};
  CHECK_FALSE(read_hwloc(tree.root()));
}

}  // namespace lk
