// The contract "null with a reason": for a null at a path of the inventory's JSON, some probe has
// a Problem whose field is that path or one above it. Also: no broken file may end the program,
// hold it up, or become a value.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/json_read.hpp"
#include "probes/probe.hpp"
#include "tree.hpp"

namespace lk {

namespace {

using test::Tree;

void find_nulls(const Json& json, const std::string& path, std::set<std::string>& found) {
  if (json.is_null()) found.insert(path);
  if (json.is_array()) {
    for (const auto& each : json) find_nulls(each, path + "[]", found);
  }
  if (!json.is_object()) return;
  for (const auto& [key, each] : json.items()) {
    if (path.empty() && (key == "probes" || key == "labels")) continue;
    find_nulls(each, path.empty() ? key : path + '.' + key, found);
  }
}

bool speaks_for(const std::string& field, const std::string& path) {
  if (!path.starts_with(field)) return false;
  return path.size() == field.size() || path[field.size()] == '.' || path[field.size()] == '[';
}

// Paths of nulls that nobody gives a reason for.
std::set<std::string> unexplained(const Inventory& inventory) {
  const auto json = parse_json(inventory_json(inventory), 64);
  REQUIRE(json);
  std::set<std::string> nulls;
  find_nulls(*json, "", nulls);
  for (const auto& probe : inventory.probes) {
    for (const auto& problem : probe.problems) {
      std::erase_if(nulls, [&](const auto& path) { return speaks_for(problem.field, path); });
    }
  }
  return nulls;
}

std::string cpu(unsigned number) {
  return "sys/devices/system/cpu/cpu" + std::to_string(number) + '/';
}

// A little of everything, so that list elements exist.
void fill(Tree& tree) {
  tree.file("sys/devices/system/cpu/online", "0-1\n");
  tree.file("sys/devices/system/cpu/present", "0-1\n");
  for (unsigned each = 0; each < 2; ++each) {
    tree.file(cpu(each) + "topology/package_cpus_list", "0-1\n");
    tree.file(cpu(each) + "topology/core_cpus_list", std::to_string(each) + "\n");
    tree.file(cpu(each) + "topology/physical_package_id", "0\n");
    tree.file(cpu(each) + "cache/index3/level", "3\n");
    tree.file(cpu(each) + "cache/index3/shared_cpu_list", "0-1\n");
    tree.file(cpu(each) + "cpuidle/state0/name", "POLL\n");
    tree.file(cpu(each) + "power/pm_qos_resume_latency_us", "0\n");
  }
  tree.file("sys/devices/system/cpu/cpufreq/policy0/affected_cpus", "0 1\n");
  tree.file("sys/devices/system/cpu/intel_uncore_frequency/package_00_die_00/max_freq_khz", "1\n");
  tree.file("sys/devices/system/node/node0/cpulist", "0-1\n");
  tree.file("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "performance\n");
  tree.file("sys/devices/system/node/node0/meminfo", "Node 0 MemTotal: 1024 kB\n");
  tree.file("sys/devices/system/node/node0/hugepages/hugepages-2048kB/x", "");
  tree.file("sys/bus/pci/devices/0000:3b:00.0/msi_irqs/30", "msix\n");
  tree.file("proc/interrupts", "  CPU0 CPU1\n 30: 1 0 IR-PCI-MSI 30932992-edge nvme0q0\n");
  tree.file("proc/irq/30/node", "0\n");
  tree.file("proc/irq/31/node", "0\n");
  tree.file("etc/tlp.conf", "");
}

}  // namespace

TEST_CASE("every null has a reason: empty, small and half-filled trees") {
  Tree empty;
  CHECK(unexplained(collect(empty.root())) == std::set<std::string>{});
  Tree some;
  fill(some);
  const auto inventory = collect(some.root());
  CHECK(inventory.cpufreq.policies.size() == 1);
  CHECK(inventory.irqs.size() == 2);
  CHECK(inventory.numa.nodes.at(0).memory_bytes == 1024 * 1024);
  CHECK(inventory.cpufreq.policies.at(0).governor == "performance");
  CHECK(inventory.tuners.size() == 1);
  CHECK(unexplained(inventory) == std::set<std::string>{});
}

TEST_CASE("every null has a reason: the check itself finds one that has none") {
  Tree tree;
  auto inventory = collect(tree.root());
  for (auto& probe : inventory.probes) {
    std::erase_if(probe.problems, [](const Problem& each) { return each.field == "cpu.smt"; });
  }
  CHECK(unexplained(inventory) == std::set<std::string>{"cpu.smt"});
}

TEST_CASE("broken files: NULs, a megabyte, folders, loops and FIFOs give no value") {
  const std::string nuls(4096, '\0');
  const std::string megabyte(std::size_t{1} << 20U, '9');
  for (int damage = 0; damage < 5; ++damage) {
    CAPTURE(damage);
    Tree tree;
    fill(tree);
    namespace fs = std::filesystem;
    std::vector<fs::path> files;
    for (const auto& each : fs::recursive_directory_iterator(tree.path())) {
      if (each.is_regular_file()) files.push_back(each.path());
    }
    for (const auto& file : files) {
      const auto path = fs::relative(file, tree.path()).string();
      if (damage == 0) tree.file(path, nuls);
      if (damage == 1) tree.file(path, megabyte);
      if (damage >= 2) fs::remove(file);
      if (damage == 2) tree.dir(path);
      if (damage == 3) tree.link(path, file.filename().string());
      if (damage == 4) REQUIRE(::mkfifo(file.c_str(), 0644) == 0);
    }
    const auto inventory = collect(tree.root());
    CHECK(unexplained(inventory) == std::set<std::string>{});
    CHECK_FALSE(inventory.numa.nodes.at(0).memory_bytes);
    CHECK_FALSE(inventory.cpu.packages);
    CHECK_FALSE(inventory.cpufreq.policies.at(0).governor);
    CHECK_FALSE(inventory.irqs.at(0).node);
    CHECK(inventory.uncore.value().at(0).max_khz == std::nullopt);
    const auto again = inventory_from_json(inventory_json(inventory));
    REQUIRE(again);
    CHECK(content_digest(*again) == content_digest(inventory));
  }
}

}  // namespace lk
