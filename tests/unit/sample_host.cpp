#include "sample_host.hpp"

#include "probes/link_verdict.hpp"

namespace lk {

namespace {

constexpr unsigned kNodes = 4;
constexpr unsigned kCpusPerNode = 2;

void add_processors(Inventory& host) {
  host.cpu.online = CpuSet::range(0, kNodes * kCpusPerNode - 1);
  host.cpu.present = host.cpu.online;
  host.cpu.offline = CpuSet{};
  host.cpu.isolated = CpuSet{};
  host.cpu.packages = 2;
  host.cpu.threads = kNodes * kCpusPerNode;
  host.cpu.smt = "off";
  host.cpu.vendor = "GenuineIntel";
  host.cpu.model = "Made-up Server CPU";
  host.cpu.enumeration = Enumeration::linear;
  for (unsigned id = 0; id < kNodes; ++id) {
    NumaNode node;
    node.id = id;
    node.cpus = CpuSet::range(id * kCpusPerNode, id * kCpusPerNode + kCpusPerNode - 1);
    node.memory_bytes = std::int64_t{64} << 30;
    node.packages = {id / 2};
    for (unsigned to = 0; to < kNodes; ++to) {
      node.distances[std::to_string(to)] = to == id ? 10 : to / 2 == id / 2 ? 12 : 21;
    }
    host.numa.nodes.push_back(node);
  }
  host.numa.clustering.kind = ClusteringKind::snc;
  host.numa.clustering.nodes_per_package = 2;
  host.numa.clustering.evidence = {"2 nodes in each of 2 packages"};
}

void add_power(Inventory& host) {
  host.cpufreq.driver = "intel_pstate";
  host.cpufreq.mode = "active";
  host.cpufreq.turbo = {true, "sys/devices/system/cpu/intel_pstate/no_turbo"};
  for (std::int64_t id = 0; id < kNodes * kCpusPerNode; ++id) {
    CpufreqPolicy policy;
    policy.id = id;
    policy.cpus = CpuSet{static_cast<unsigned>(id)};
    policy.driver = "intel_pstate";
    policy.governor = "powersave";
    policy.governors = {"performance", "powersave"};
    policy.epp = "balance_performance";
    policy.epps = {"default", "performance", "balance_performance"};
    host.cpufreq.policies.push_back(policy);
  }
  host.cpufreq.epb = {{*host.cpu.online, 6}};
  host.cpuidle.driver = "intel_idle";
  host.cpuidle.governor = "menu";
  host.cpuidle.latency_limit_us = 2'000'000'000;
  host.cpuidle.groups = {{*host.cpu.online,
                          {{0, "POLL", "", 0, 0, false, std::nullopt},
                           {1, "C1", "", 2, 2, false, std::nullopt},
                           {2, "C6", "", 170, 600, false, std::nullopt}}}};
  host.uncore = {{"package_00_die_00", 800000, 2200000, 800000, 2200000, 0, "package_00_die_00"}};
}

NvmeController drive(unsigned number) {
  const auto digit = std::to_string(number);
  NvmeController out;
  out.id = "0000:" + digit + "1:00.0";
  out.name = "nvme" + digit;
  out.driver = "nvme";
  out.transport = "pcie";
  out.pci_address = out.id;
  out.state = "live";
  out.vendor_id = "0x1234";
  out.model = "Made-up Drive";
  out.serial = "SN" + digit;
  out.numa_node = number == 3 ? -1 : std::int64_t{number};
  if (number != 3) {
    out.effective_node = number;
    out.node_source = NodeSource::device;
    out.node_confidence = Confidence::high;
    out.local_cpus = CpuSet::range(number * kCpusPerNode, number * kCpusPerNode + kCpusPerNode - 1);
  }
  PathElement port;
  port.address = "0000:" + digit + "0:01.0";
  port.kind = PortKind::root_port;
  port.link = {16.0, 4, 32.0, 16, std::nullopt};
  port.runtime_pm = "on";
  PathElement end;
  end.address = out.id;
  end.kind = PortKind::endpoint;
  end.link = {16.0, 4, 16.0, 4, std::nullopt};
  end.aspm = {false, true, AspmSource::link_attributes};
  end.runtime_pm = "on";
  out.path = {port, end};
  out.aspm = end.aspm;
  out.link = judge_link(out.path);
  out.apst = "100000";
  out.queue_count = 3;
  for (std::int64_t queue = 1; queue <= 2; ++queue) {
    const auto cpu = static_cast<unsigned>(queue - 1);
    const auto irq = std::int64_t{100} + number * 10 + queue;
    out.queues.push_back(
        {queue, CpuSet{cpu, cpu + 2}, irq, CpuSet{cpu, cpu + 2}, CpuSet{cpu}, true, true});
  }
  out.role = number == 0 ? Role::boot : Role::data;
  return out;
}

void add_drives(Inventory& host) {
  for (unsigned number = 0; number < 4; ++number) {
    host.nvme.controllers.push_back(drive(number));
    NvmeNamespace space;
    space.name = "nvme" + std::to_string(number) + "n1";
    space.wwid = "eui." + std::to_string(number);
    space.paths = {{space.name, "nvme" + std::to_string(number), std::nullopt}};
    space.queue = {
        space.name,   "none", {"none", "mq-deadline"}, 1023, 1023, 0, 1, 2000, 128, 512, 128, 0, 1,
        "write back", 0};
    space.in_use.verdict = InUseVerdict::free;
    host.nvme.namespaces.push_back(space);
    for (const auto& queue : host.nvme.controllers.back().queues) {
      Irq irq;
      irq.irq = *queue.irq;
      irq.pci_address = host.nvme.controllers.back().id;
      irq.vector = queue.queue;
      irq.managed = true;
      irq.fired = true;
      host.irqs.push_back(irq);
    }
  }
  host.nvme.controllers[0].owners = {{OwnerKind::filesystem, "/"}};
  Workload database;
  database.drive = host.nvme.controllers[0].id;
  database.name = "database.service";
  database.kind = WorkloadKind::unit;
  database.via = {Via::file};
  database.processes = 1;
  database.cgroup = "/system.slice/database.service";
  database.cpus = CpuSet{0, 1};
  database.nodes = CpuSet{0};
  database.memory_bytes = {{"0", 1 << 20}};
  host.workloads = {database};
}

void add_kernel(Inventory& host) {
  host.kernel.clocksource = "tsc";
  host.kernel.clocksources = {"tsc", "hpet", "acpi_pm"};
  host.kernel.thp = "madvise";
  host.kernel.sysctls = {{"vm.swappiness", 60},           {"vm.dirty_ratio", 20},
                         {"vm.dirty_bytes", 0},           {"vm.zone_reclaim_mode", 0},
                         {"kernel.numa_balancing", 1},    {"fs.aio-max-nr", 65536},
                         {"kernel.io_uring_disabled", 0}, {"kernel.nmi_watchdog", 1}};
  host.kernel.iommu = {{"DMA-FQ", 24}};
  host.kernel.vulnerabilities = {{"meltdown", "Not affected"}};
  host.pci.aspm = {true, "default"};
  host.tuners = {{"irqbalance", true, std::nullopt, {}, {"proc/77/comm"}}};
}

}  // namespace

Inventory sample_host() {
  Inventory host;
  host.live = true;
  host.boot_id = "sample";
  host.host.kernel = "6.12.0";
  host.host.cmdline = "quiet";
  host.host.virtualization = "none";
  host.host.lockdown = "none";
  add_processors(host);
  add_power(host);
  add_drives(host);
  add_kernel(host);
  return host;
}

}  // namespace lk
