// Where a program has to run to be local to a drive, and the text for other tools.
#include "service/placement.hpp"

#include <doctest/doctest.h>

using namespace lk;

namespace {

NvmeController drive(const char* name, std::optional<std::int64_t> node, const CpuSet& cpus) {
  NvmeController out;
  out.name = name;
  out.id = std::string("0000:3b:00.") + out.name->back();
  out.pci_address = out.id;
  out.serial = std::string("S") + name;
  out.effective_node = node;
  out.node_confidence = Confidence::high;
  if (node) out.local_cpus = cpus;
  return out;
}

NumaNode numa_node(std::int64_t id, std::int64_t memory) {
  NumaNode out;
  out.id = id;
  out.memory_bytes = memory;
  out.distances = {{"0", 10 + 10 * id}, {"1", 20 - 10 * id}, {"2", 30}};
  return out;
}

Inventory host() {
  Inventory out;
  out.cpu.online = CpuSet::range(0, 7);
  out.cpu.allowed = CpuSet::range(0, 7);
  out.cpu.isolated = CpuSet{};
  out.cpu.offline = CpuSet{};
  out.numa.nodes = {numa_node(0, 1 << 30), numa_node(1, 1 << 30), numa_node(2, 1 << 30)};
  out.nvme.controllers = {drive("nvme0", 0, CpuSet::range(0, 3)),
                          drive("nvme1", 1, CpuSet::range(4, 7)), drive("nvme2", {}, {})};
  return out;
}

std::string text(const Inventory& inventory, PlacementFormat format, MemoryPolicy policy) {
  const auto placement = place_near(inventory, "nvme1");
  REQUIRE(placement);
  return placement_text(*placement, format, policy);
}

}  // namespace

TEST_CASE("placement: the drive's CPUs and node, however it is named") {
  const auto inventory = host();
  for (const char* name : {"nvme1", "Snvme1", "0000:3b:00.1", "/dev/nvme1"}) {
    CAPTURE(name);
    const auto placement = place_near(inventory, name);
    REQUIRE(placement);
    CHECK(placement->node == 1);
    CHECK(placement->cpus == CpuSet::range(4, 7));
    CHECK(placement->memory_node == 1);
    CHECK(placement->notes.empty());
  }
}

TEST_CASE("placement: isolated and forbidden CPUs are left out, and that is said") {
  auto inventory = host();
  inventory.cpu.isolated = CpuSet{5, 2};
  inventory.cpu.allowed = CpuSet::range(0, 6);
  const auto placement = place_near(inventory, "nvme1");
  REQUIRE(placement);
  CHECK(placement->cpus == CpuSet{4, 6});
  REQUIRE(placement->notes.size() == 2);
  CHECK(placement->notes[0].find("CPUs 5 ") != std::string::npos);
  CHECK(placement->notes[1].find("CPUs 7 ") != std::string::npos);
  inventory.cpu.allowed = CpuSet{0};
  const auto none = place_near(inventory, "nvme1");
  REQUIRE_FALSE(none);
  CHECK(none.error().what.find("no CPU of node 1") == 0);
}

TEST_CASE("placement: what cannot be placed says what to do") {
  auto inventory = host();
  CHECK(place_near(inventory, "nvme9").error().what.find("there are nvme0 (Snvme0)") !=
        std::string::npos);
  const auto unknown = place_near(inventory, "nvme2").error().what;
  CHECK(unknown.find("numa_nodes: {\"0000:3b:00.2\": <node>}") != std::string::npos);
  inventory.nvme.controllers[1].serial = "Snvme0";  // one serial, two nodes
  CHECK(place_near(inventory, "Snvme0").error().what.find("several drives") != std::string::npos);
  inventory.nvme.controllers[1].effective_node = 0;
  CHECK(place_near(inventory, "Snvme0"));
  CHECK(place_near(Inventory{}, "nvme0").error().what.find("no NVMe drive") != std::string::npos);
}

TEST_CASE("placement: a node without memory takes the nearest that has some") {
  auto inventory = host();
  inventory.numa.nodes[1].memory_bytes = 0;
  const auto placement = place_near(inventory, "nvme1");
  REQUIRE(placement);
  CHECK(placement->memory_node == 0);
  REQUIRE(placement->notes.size() == 1);
  CHECK(placement->notes[0].find("node 1 has no memory") == 0);
}

TEST_CASE("placement: a node that is not sure is said to be so") {
  auto inventory = host();
  inventory.nvme.controllers[1].node_confidence = Confidence::low;
  CHECK((*place_near(inventory, "nvme1")).notes.size() == 1);
}

TEST_CASE("placement: text for other tools") {
  using F = PlacementFormat;
  using M = MemoryPolicy;
  auto inventory = host();
  CHECK(text(inventory, F::numactl, M::prefer) == "numactl --physcpubind=4-7 --preferred=1\n");
  CHECK(text(inventory, F::numactl, M::bind) == "numactl --physcpubind=4-7 --membind=1\n");
  CHECK(text(inventory, F::cpuset, M::prefer) == "cpuset.cpus=4-7\ncpuset.mems=1\n");
  CHECK(text(inventory, F::fio, M::prefer) == "cpus_allowed=4-7\nnuma_mem_policy=prefer:1\n");
  CHECK(text(inventory, F::fio, M::bind) == "cpus_allowed=4-7\nnuma_mem_policy=bind:1\n");
  inventory.cpu.isolated = CpuSet{5};
  CHECK(text(inventory, F::systemd, M::prefer) ==
        "# local to nvme1 (Snvme1), node 1\n"
        "# CPUs 5 of the drive's node are left out: isolated (isolcpus)\n"
        "[Service]\nCPUAffinity=\nCPUAffinity=4,6-7\nNUMAPolicy=preferred\nNUMAMask=1\n");
}
