// The probes irqs, cpufreq, cpuidle, uncore, kernel, tuners and host on small trees.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>

#include "probes/probe.hpp"
#include "tree.hpp"

namespace lk {

namespace {

using test::Tree;

const std::string kCpus = "sys/devices/system/cpu/";

std::string cpu(int number) {
  return kCpus + "cpu" + std::to_string(number) + '/';
}

void add_irq(Tree& tree, int irq, const std::string& affinity, mode_t mode = 0644) {
  const auto dir = "proc/irq/" + std::to_string(irq) + '/';
  tree.file(dir + "smp_affinity_list", affinity + "\n");
  tree.file(dir + "effective_affinity_list", "1\n");
  tree.file(dir + "node", "0\n");
  REQUIRE(::chmod((tree.path() + '/' + dir + "smp_affinity_list").c_str(), mode) == 0);
}

}  // namespace

TEST_CASE("irqs: owner, vector, handlers and delivery") {
  Tree tree{{kCpus + "online", "0-1\n"}, {kCpus + "present", "0-1\n"}};
  add_irq(tree, 30, "0-1");
  add_irq(tree, 31, "0-1");
  add_irq(tree, 32, "0-1");
  tree.file("sys/bus/pci/devices/0000:3b:00.0/msi_irqs/30", "msix\n");
  tree.file("sys/bus/pci/devices/0000:3b:00.0/msi_irqs/31", "msix\n");
  tree.file("sys/kernel/irq/30/actions", "nvme0q0\n");
  tree.file("sys/kernel/irq/30/chip_name", "IR-PCI-MSI\n");
  tree.file("sys/kernel/irq/31/chip_name", "not asked\n");
  tree.file("proc/interrupts", "  CPU0 CPU1\n 30: 0 7\n 31: 0 0 PCI-MSI 2-edge nvme0q1\n");
  const auto irqs = collect(tree.root()).irqs;
  REQUIRE(irqs.size() == 3);
  CHECK(irqs[0].chip == "IR-PCI-MSI");
  CHECK(irqs[0].actions == std::vector<std::string>{"nvme0q0"});
  CHECK(irqs[0].pci_address == "0000:3b:00.0");
  CHECK(irqs[0].vector == 0);
  CHECK(irqs[0].fired == true);
  CHECK(irqs[0].effective_cpus->to_list() == "1");
  CHECK(irqs[1].vector == 1);
  CHECK(irqs[1].chip == "PCI-MSI");
  CHECK(irqs[1].actions == std::vector<std::string>{"nvme0q1"});
  CHECK(irqs[1].fired == false);
  CHECK(irqs[2].fired == false);
  CHECK_FALSE(irqs[2].pci_address);
}

TEST_CASE("irqs: managed by file mode where modes differ, else by NVMe's names, else unknown") {
  Tree newer;
  add_irq(newer, 1, "0", 0644);
  add_irq(newer, 2, "0", 0444);
  auto irqs = collect(newer.root()).irqs;
  CHECK(irqs.at(0).managed == false);
  CHECK(irqs.at(1).managed == true);

  Tree older{{"proc/interrupts",
              "  CPU0\n 1: 0 X 1-edge nvme0q0\n 2: 0 X 2-edge nvme12q3\n 3: 0 X 3-edge eth0-q1\n"}};
  for (int irq = 1; irq <= 3; ++irq) add_irq(older, irq, "0");
  irqs = collect(older.root()).irqs;
  CHECK(irqs.at(0).managed == false);
  CHECK(irqs.at(1).managed == true);
  CHECK_FALSE(irqs.at(2).managed.has_value());
}

TEST_CASE("irqs: a count of zero proves nothing while CPUs are offline") {
  Tree tree{{kCpus + "online", "0\n"},
            {kCpus + "present", "0-1\n"},
            {"proc/interrupts", "  CPU0\n 1: 0 X 1-edge a\n 2: 3 X 1-edge b\n"}};
  const auto irqs = collect(tree.root()).irqs;
  CHECK_FALSE(irqs.at(0).fired.has_value());
  CHECK(irqs.at(1).fired == true);
}

TEST_CASE("irqs: a table that cannot be read is a failure, not a host without interrupts") {
  const auto status = [](const Tree& tree) {
    const auto inventory = collect(tree.root());
    return std::find_if(inventory.probes.begin(), inventory.probes.end(),
                        [](const ProbeReport& each) { return each.name == "irqs"; })
        ->status;
  };
  Tree folder;
  folder.dir("proc/interrupts");
  CHECK(status(folder) == ProbeStatus::failed);
  CHECK(status(Tree{{"proc/version", "Linux\n"}, {"sys/class/x/y", ""}}) ==
        ProbeStatus::unavailable);
  CHECK(status(Tree{}) == ProbeStatus::failed);  // without procfs nothing is known
}

TEST_CASE("cpufreq: policies with online CPUs, per-CPU folders of old kernels, mode and turbo") {
  Tree tree{{kCpus + "online", "0-1\n"}};
  const auto policy = kCpus + "cpufreq/policy0/";
  tree.file(policy + "affected_cpus", "0 1\n");
  tree.file(policy + "scaling_driver", "intel_pstate\n");
  tree.file(policy + "scaling_governor", "powersave\n");
  tree.file(policy + "scaling_available_governors", "performance powersave\n");
  tree.file(kCpus + "cpufreq/policy2/affected_cpus", "\n");
  tree.file(kCpus + "intel_pstate/status", "active\n");
  tree.file(kCpus + "intel_pstate/no_turbo", "1\n");
  tree.file(cpu(0) + "power/energy_perf_bias", "6\n");
  const auto cpufreq = collect(tree.root()).cpufreq;
  REQUIRE(cpufreq.policies.size() == 1);
  CHECK(cpufreq.policies[0].cpus.to_list() == "0-1");
  CHECK(cpufreq.policies[0].governors.size() == 2);
  CHECK_FALSE(cpufreq.policies[0].epp);
  CHECK(cpufreq.driver == "intel_pstate");
  CHECK(cpufreq.mode == "active");
  CHECK(cpufreq.turbo.enabled == false);
  REQUIRE(cpufreq.epb.size() == 1);
  CHECK(cpufreq.epb[0].value == 6);

  Tree old{{kCpus + "online", "0-1\n"}, {kCpus + "cpufreq/boost", "1\n"}};
  old.file(cpu(0) + "cpufreq/scaling_governor", "ondemand\n");
  old.file(cpu(1) + "cpufreq/scaling_governor", "ondemand\n");
  const auto before = collect(old.root()).cpufreq;
  CHECK(before.policies.size() == 2);
  CHECK(before.turbo.enabled == true);
}

TEST_CASE("cpuidle: CPUs of the same states together; the zero of resume limits is inverted") {
  Tree tree{{kCpus + "online", "0-3\n"},
            {kCpus + "cpuidle/current_driver", "intel_idle\n"},
            {kCpus + "cpuidle/current_governor_ro", "menu\n"}};
  for (int each = 0; each < 4; ++each) {
    const auto dir = cpu(each) + "cpuidle/state1/";
    tree.file(dir + "name", "C1\n");
    tree.file(dir + "latency", "2\n");
    tree.file(dir + "disable", each == 3 ? "1\n" : "0\n");
  }
  tree.file(cpu(0) + "power/pm_qos_resume_latency_us", "0\n");
  tree.file(cpu(1) + "power/pm_qos_resume_latency_us", "n/a\n");
  tree.file(cpu(2) + "power/pm_qos_resume_latency_us", "50\n");
  tree.file(cpu(3) + "power/pm_qos_resume_latency_us", "often\n");
  const auto cpuidle = collect(tree.root()).cpuidle;
  CHECK(cpuidle.driver == "intel_idle");
  CHECK(cpuidle.governor == "menu");
  REQUIRE(cpuidle.groups.size() == 2);
  CHECK(cpuidle.groups[0].cpus.to_list() == "0-2");
  CHECK(cpuidle.groups[1].states.at(0).disabled == true);
  CHECK_FALSE(cpuidle.latency_limit_us);
  REQUIRE(cpuidle.resume_limits.size() == 3);
  CHECK_FALSE(cpuidle.resume_limits[0].limit_us);
  CHECK(cpuidle.resume_limits[1].limit_us == 0);
  CHECK(cpuidle.resume_limits[1].cpus.to_list() == "1");
  CHECK(cpuidle.resume_limits[2].limit_us == 50);
}

TEST_CASE("kernel: settings by name, IOMMU groups by type") {
  Tree tree{{"proc/sys/vm/swappiness", "60\n"},
            {"sys/module/nvme/parameters/poll_queues", "4\n"},
            {"sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"},
            {"sys/kernel/iommu_groups/0/type", "DMA-FQ\n"},
            {"sys/kernel/iommu_groups/1/type", "DMA-FQ\n"}};
  const auto kernel = collect(tree.root()).kernel;
  CHECK(kernel.sysctls.at("vm.swappiness") == 60);
  CHECK_FALSE(kernel.sysctls.at("fs.aio-max-nr"));
  CHECK(kernel.parameters.at("nvme.poll_queues") == "4");
  CHECK(kernel.thp == "madvise");
  REQUIRE(kernel.iommu.size() == 1);
  CHECK(kernel.iommu[0].groups == 2);
}

TEST_CASE("tuners: running, installed, and not to be told") {
  Tree running{{"proc/1/comm", "systemd\n"},
               {"proc/77/comm", "tuned\n"},
               {"etc/tuned/active_profile", "balanced\n"},
               {"etc/tlp.conf", ""}};
  running.link("run/systemd/units/invocation:cpupower.service", "0123456789abcdef");
  const auto tuners = collect(running.root()).tuners;
  REQUIRE(tuners.size() == 3);
  CHECK(tuners[0].name == "tuned");
  CHECK(tuners[0].active == true);
  CHECK(tuners[0].profile == "balanced");
  CHECK(tuners[0].owns == std::vector<std::string>{"cpu.epb", "cpu.epp", "cpu.governor"});
  CHECK(tuners[1].name == "tlp");
  CHECK(tuners[1].active == false);
  CHECK(tuners[2].name == "cpupower");
  CHECK(tuners[2].active == true);

  Tree blind{{"etc/tuned/active_profile", "x\n"}};
  CHECK_FALSE(collect(blind.root()).tuners.at(0).active.has_value());
}

TEST_CASE("host: virtualization by the processor's flag, the firmware's tables and marks") {
  const auto kind = [](const Tree& tree) { return collect(tree.root()).host.virtualization; };
  CHECK(kind(Tree{{"proc/cpuinfo", "processor : 0\nflags : fpu\n"}}) == "none");
  CHECK(kind(Tree{{"proc/cpuinfo", "processor : 0\nflags : hypervisor\n"}}) == "vm");
  CHECK(kind(Tree{{"proc/cpuinfo", "processor : 0\nflags : hypervisor\n"},
                  {"sys/class/dmi/id/sys_vendor", "VMware, Inc.\n"}}) == "vmware");
  CHECK(kind(Tree{{"proc/cpuinfo", "processor : 0\nflags : hypervisor\n"},
                  {"sys/class/dmi/id/sys_vendor", "QEMU\n"},
                  {"sys/devices/system/clocksource/clocksource0/available_clocksource",
                   "kvm-clock tsc\n"}}) == "kvm");
  CHECK(kind(Tree{{"run/.containerenv", ""}}) == "container");
  CHECK_FALSE(kind(Tree{}).has_value());
}

TEST_CASE("uncore: domains, and clusters by package, domain and cluster") {
  const std::string dir = kCpus + "intel_uncore_frequency/";
  Tree tree{{dir + "package_00_die_00/min_freq_khz", "800000\n"},
            {dir + "uncore01/max_freq_khz", "2200000\n"},
            {dir + "uncore01/package_id", "1\n"},
            {dir + "uncore01/domain_id", "2\n"},
            {dir + "uncore01/fabric_cluster_id", "0\n"}};
  const auto uncore = collect(tree.root()).uncore.value();
  REQUIRE(uncore.size() == 2);
  CHECK(uncore[0].min_khz == 800000);
  CHECK(uncore[1].id == "package:1/domain:2/fabric_cluster:0");
  CHECK(uncore[1].max_khz == 2200000);
  CHECK(uncore[0].package == 0);
  CHECK(uncore[1].package == 1);
  CHECK(uncore[1].directory == "uncore01");
}

TEST_CASE("uncore: without the driver the reason says whose control it is") {
  const auto cause = [](const Tree& tree) {
    const auto inventory = collect(tree.root());
    CHECK_FALSE(inventory.uncore);
    for (const auto& probe : inventory.probes) {
      for (const auto& each : probe.problems) {
        if (each.field == "uncore") return each.cause;
      }
    }
    return Cause::hung;
  };
  CHECK(cause(Tree{{"proc/cpuinfo", "processor : 0\nvendor_id : AuthenticAMD\n"},
                   {"sys/devices/system/cpu/online", "0\n"}}) == Cause::not_applicable);
  CHECK(cause(Tree{{"proc/cpuinfo", "processor : 0\nvendor_id : GenuineIntel\n"},
                   {"sys/devices/system/cpu/online", "0\n"}}) == Cause::absent);
}

}  // namespace lk
