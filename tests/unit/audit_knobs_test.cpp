// What the shipped profiles say about made-up hosts.
#include "audit_case.hpp"

using namespace lk;

namespace {

// The emulated server of tests/vm: idle drives, schedutil, hpet, ASPM off, no EPP, EPB, turbo,
// APST.
Inventory guest() {
  auto host = sample_host();
  host.host.virtualization = "qemu";
  host.cpufreq.driver = "acpi-cpufreq";
  host.cpufreq.epb.clear();
  host.cpufreq.turbo = {};
  for (auto& policy : host.cpufreq.policies) {
    policy.governor = "schedutil";
    policy.governors = {"performance", "ondemand", "powersave", "schedutil"};
    policy.epp.reset();
  }
  host.cpuidle.groups[0].states = {{0, "POLL", "", 0, 0, false, std::nullopt},
                                   {1, "C1", "", 1, 1, false, std::nullopt},
                                   {2, "C2", "", 50, 100, false, std::nullopt},
                                   {3, "C3", "", 170, 500, false, std::nullopt}};
  host.kernel.clocksource = "hpet";
  host.workloads->clear();
  host.tuners.clear();
  host.uncore.reset();
  for (auto& drive : host.nvme.controllers) {
    drive.owners.clear();
    drive.role = Role::data;
    drive.apst.reset();
    drive.path.back().aspm = {false, false, AspmSource::link_attributes};
  }
  for (auto& irq : host.irqs) irq.fired = irq.irq % 2 == 0;
  for (auto& drive : host.nvme.controllers) {
    for (auto& queue : drive.queues) {
      if (*queue.irq % 2 != 0) queue.local.reset();
    }
  }
  add_problem(host, "cpufreq.policies[].epp", Cause::absent);
  add_problem(host, "cpufreq.turbo.enabled", Cause::absent);
  add_problem(host, "nvme.controllers[].apst", Cause::not_applicable);
  add_problem(host, "nvme.controllers[].queues[].local", Cause::not_applicable);
  return host;
}

Inventory plain_vm() {
  Inventory host;
  host.live = true;
  host.host.virtualization = "kvm";
  host.host.cmdline = "quiet";
  host.cpu.online = CpuSet{0, 1};
  host.cpu.isolated = CpuSet{};
  host.cpu.packages = 2;  // two virtual sockets on one node
  host.cpu.threads = 2;
  NumaNode node;
  node.cpus = CpuSet{0, 1};
  node.memory_bytes = std::int64_t{4} << 30;
  node.packages = {0, 1};
  host.numa.nodes = {node};
  host.kernel.clocksource = "kvm-clock";
  host.kernel.sysctls = {{"vm.swappiness", 60}};
  host.cpuidle.latency_limit_us = 2'000'000'000;
  host.cpuidle.groups = {{CpuSet{0, 1},
                          {{0, "POLL", "", 0, 0, false, std::nullopt},
                           {1, "haltpoll idle", "", 1, 1, false, std::nullopt}}}};
  add_problem(host, "pci.aspm.policy", Cause::absent);
  return host;
}

}  // namespace

TEST_CASE("balanced: a plain virtual machine is clean") {
  const auto audit = run_audit(plain_vm(), shipped("balanced"));
  for (const auto& finding : audit.findings) {
    CAPTURE(finding.check);
    CAPTURE(finding.reason.value_or(""));
    CHECK(finding.verdict != Verdict::fail);
    if (finding.severity >= Severity::warning) CHECK(finding.verdict != Verdict::unknown);
  }
  CHECK(audit_exit_status(audit, Severity::warning) == 0);
}

TEST_CASE("nvme-throughput: the emulated server fails in exactly what is wrong with it") {
  const auto audit = run_audit(guest(), shipped("nvme-throughput"));
  CHECK(failing(audit, Severity::critical).empty());
  CHECK(failing(audit, Severity::warning) ==
        std::set<std::string>{"cpu.governor", "kernel.clocksource"});
  CHECK(failing(audit, Severity::info) ==
        std::set<std::string>{"nvme.node_known", "mem.swappiness", "kernel.aio_max"});
  for (const auto& finding : audit.findings) {
    if (finding.severity < Severity::warning) continue;
    CAPTURE(finding.check);
    CHECK(finding.verdict != Verdict::unknown);
    CHECK(finding.verdict != Verdict::locked);
  }
  const auto max = failing(run_audit(guest(), shipped("nvme-max")), Severity::warning);
  CHECK(max.contains("idle.exit_latency"));
  CHECK(max.contains("cpu.governor"));
}

TEST_CASE("irq.queue_local: what never fired has no verdict, what is managed is locked") {
  const auto audit = run_audit(guest(), shipped("nvme-throughput"));
  const auto found = findings_of(audit, "irq.queue_local");
  REQUIRE(found.size() == 2);
  CHECK(found[0].verdict == Verdict::pass);
  CHECK(found[1].verdict == Verdict::not_applicable);
  CHECK(found[1].reason == "no interrupt was delivered for this queue yet");

  auto host = sample_host();
  host.nvme.controllers[0].queues[1].local = false;
  auto remote = findings_of(run_audit(host, shipped("nvme-throughput")), "irq.queue_local");
  CHECK(remote[0].verdict == Verdict::locked);
  CHECK(remote[0].targets == std::vector<std::string>{"irq:0000:01:00.0/2"});
  host.nvme.controllers[0].queues[1].managed = false;
  remote = findings_of(run_audit(host, shipped("nvme-throughput")), "irq.queue_local");
  CHECK(remote[0].verdict == Verdict::fail);
}

TEST_CASE("irq.queue_local: a queue of offline CPUs has no interrupt to judge") {
  auto host = sample_host();
  auto& queue = host.nvme.controllers[0].queues[0];
  queue.cpus = CpuSet{40};  // not online
  queue.local.reset();
  host.irqs[0].fired.reset();
  add_problem(host, "nvme.controllers[].queues[].local", Cause::absent);
  const auto found = findings_of(run_audit(host, shipped("nvme-throughput")), "irq.queue_local");
  REQUIRE(found.size() == 2);
  CHECK(found[0].verdict == Verdict::pass);
  CHECK(found[1].verdict == Verdict::not_applicable);
}

TEST_CASE("irq.queue_local: unknown where it cannot be told whether it fired") {
  auto host = sample_host();
  host.nvme.controllers[0].queues[0].local.reset();
  host.irqs[0].fired.reset();
  add_problem(host, "nvme.controllers[].queues[].local", Cause::absent);
  const auto found = findings_of(run_audit(host, shipped("nvme-throughput")), "irq.queue_local");
  CHECK(found[0].verdict == Verdict::unknown);
}

TEST_CASE("blk.write_cache_view: not applicable, with what the kernel believes") {
  const auto found =
      findings_of(run_audit(sample_host(), shipped("balanced")), "blk.write_cache_view");
  REQUIRE(found.size() == 1);
  CHECK(found[0].verdict == Verdict::not_applicable);
  CHECK(found[0].evidence[0].raw == "write back");
  CHECK(found[0].evidence_more == 0);
}

TEST_CASE("workload.local: drives without a user have nothing to judge") {
  auto host = sample_host();
  auto found = findings_of(run_audit(host, shipped("nvme-throughput")), "workload.local");
  REQUIRE(found.size() == 2);
  CHECK(found[0].verdict == Verdict::pass);
  CHECK(found[1].verdict == Verdict::not_applicable);
  for (auto& space : host.nvme.namespaces) {
    space.in_use = {InUseVerdict::unknown, {"proc/swaps could not be read"}};
  }
  found = findings_of(run_audit(host, shipped("nvme-throughput")), "workload.local");
  CHECK(found[0].verdict == Verdict::unknown);  // nobody seen is not nobody there
  CHECK(found[1].verdict == Verdict::pass);
  host = sample_host();
  host.workloads->front().cpus = CpuSet{0, 1, 7};
  found = findings_of(run_audit(host, shipped("nvme-throughput")), "workload.local");
  CHECK(found[0].verdict == Verdict::fail);
  CHECK(found[0].severity == Severity::warning);
  host.workloads.reset();
  add_problem(host, "workloads", Cause::absent);
  found = findings_of(run_audit(host, shipped("nvme-throughput")), "workload.local");
  CHECK(found[0].verdict == Verdict::not_applicable);
}

TEST_CASE(
    "workload.local: who could not be looked at leaves it open, unless one is seen elsewhere") {
  auto host = sample_host();
  add_problem(host, "workloads", Cause::denied);
  auto found = findings_of(run_audit(host, shipped("nvme-throughput")), "workload.local");
  CHECK(found[0].verdict == Verdict::unknown);
  host.workloads->front().cpus = CpuSet{7};
  found = findings_of(run_audit(host, shipped("nvme-throughput")), "workload.local");
  CHECK(found[0].verdict == Verdict::fail);
  host.workloads->front().cpus.reset();
  add_problem(host, "workloads[].cpus", Cause::unreadable);
  found = findings_of(run_audit(host, shipped("nvme-throughput")), "workload.local");
  CHECK(found[0].verdict == Verdict::unknown);
}

TEST_CASE("workload.local: a drive in use whose node nobody knows is an open question") {
  auto host = sample_host();
  host.nvme.controllers[0].effective_node.reset();
  host.nvme.controllers[0].local_cpus.reset();
  add_problem(host, "nvme.controllers[].local_cpus", Cause::absent);
  const auto found = findings_of(run_audit(host, shipped("nvme-throughput")), "workload.local");
  CHECK(found[0].verdict == Verdict::unknown);
}

TEST_CASE("workload.local: CPUs that are offline do not count, several nodes are information") {
  auto host = sample_host();
  const auto online = *host.cpu.online;
  auto& workload = host.workloads->front();
  workload.cpus->add(500);  // possible, never online
  auto found = findings_of(run_audit(host, shipped("nvme-throughput")), "workload.local");
  CHECK(found[0].verdict == Verdict::pass);
  workload.cpus = online;
  auto other = workload;
  for (const auto& drive : host.nvme.controllers) {
    if (drive.effective_node && drive.effective_node != host.nvme.controllers[0].effective_node) {
      other.drive = drive.id;
    }
  }
  REQUIRE(other.drive != workload.drive);
  host.workloads->push_back(other);
  for (const auto& each :
       findings_of(run_audit(host, shipped("nvme-throughput")), "workload.local")) {
    if (each.verdict == Verdict::fail) CHECK(each.severity == Severity::info);
  }
}

TEST_CASE("idle.exit_latency: states, limits and C1 by the CPU's own numbers") {
  auto host = sample_host();
  const auto latency = [&] {
    const auto seen = find_knob("idle.exit_latency")->observe(host);
    return seen.front().value ? to_text(*seen.front().value) : seen.front().reason;
  };
  CHECK(latency() == "170");
  host.cpuidle.latency_limit_us = 20;
  CHECK(latency() == "2");
  CHECK(findings_of(run_audit(host, shipped("nvme-max")), "idle.exit_latency")[0].verdict ==
        Verdict::pass);
  host.cpuidle.latency_limit_us = 2'000'000'000;
  host.cpuidle.resume_limits = {{CpuSet{0}, 0}};
  CHECK(latency() == "0");
  const auto polling = findings_of(run_audit(host, shipped("balanced")), "idle.exit_latency");
  CHECK(polling[0].verdict == Verdict::fail);
  CHECK(polling[0].targets == std::vector<std::string>{"cpu:0"});
  host.cpuidle.resume_limits.clear();
  host.cpuidle.groups[0].states[2].disabled = true;
  CHECK(latency() == "2");
  host.cpuidle.latency_limit_us.reset();
  add_problem(host, "cpuidle.latency_limit_us", Cause::denied);
  CHECK(latency().find("run it as root") != std::string::npos);
  host.live = false;  // a capture has no such device: what is in it is judged
  CHECK(latency() == "2");
  for (auto& state : host.cpuidle.groups[0].states) state.latency_us = 0;
  CHECK(latency() == "the idle states report no exit latency");
}

TEST_CASE("nvme-latency: only CPUs local to drives are limited") {
  const auto found =
      findings_of(run_audit(sample_host(), shipped("nvme-latency")), "idle.exit_latency");
  REQUIRE(found.size() == 1);
  CHECK(found[0].verdict == Verdict::fail);
  CHECK(found[0].targets == std::vector<std::string>{"cpu:0-5"});  // the node of nvme3 is unknown
  CHECK(found[0].actual == "170 us (C6)");
  CHECK(found[0].remedy.command ==
        "echo 10 | tee /sys/devices/system/cpu/cpu{0..5}/power/pm_qos_resume_latency_us");
}

TEST_CASE("blk.nr_requests: compared with the hardware's tags only under none") {
  auto host = sample_host();
  host.nvme.namespaces[0].queue->nr_requests = 2046;
  host.nvme.namespaces[1].queue->scheduler = "mq-deadline";
  const auto found = findings_of(run_audit(host, shipped("nvme-throughput")), "blk.nr_requests");
  REQUIRE(found.size() == 3);
  CHECK(found[0].verdict == Verdict::fail);
  CHECK(found[0].severity == Severity::warning);
  CHECK(found[0].remedy.command == "echo 1023 | tee /sys/block/nvme0n1/queue/nr_requests");
  CHECK(found[1].verdict == Verdict::pass);
  CHECK(found[2].verdict == Verdict::not_applicable);
}

TEST_CASE("env.rivals: a warning only where the profile would write what the rival writes") {
  auto host = sample_host();
  host.tuners.push_back({"tuned", true, "balanced", {"cpu.governor", "cpu.epp"}, {"run/tuned"}});
  auto found = findings_of(run_audit(host, shipped("nvme-throughput")), "env.rivals");
  REQUIRE(found.size() == 2);
  const auto warning = std::find_if(found.begin(), found.end(), [](const Finding& finding) {
    return finding.severity == Severity::warning;
  });
  REQUIRE(warning != found.end());
  CHECK(warning->verdict == Verdict::fail);
  CHECK(warning->actual == "tuned (profile balanced)");
  CHECK(warning->expected == "no rival that writes cpu.governor, cpu.epp");
  CHECK(warning->remedy.command.has_value());
  CHECK(failing(run_audit(host, shipped("balanced")), Severity::warning).empty());
  for (auto& policy : host.cpufreq.policies) {
    policy.governor = "performance";
    policy.epp = "performance";
  }
  CHECK_FALSE(failing(run_audit(host, shipped("nvme-throughput")), Severity::warning)
                  .contains("env.rivals"));
}

TEST_CASE("where: host conditions, patterns and roles") {
  auto host = sample_host();
  host.labels = {{"site", "lab-1"}};
  const auto verdicts = [&](const std::string& where) {
    const auto audit =
        run_audit(host, of_checks("  - {knob: blk.nomerges, expect: 2, where: {" + where + "}}\n"));
    REQUIRE(audit.findings.size() == 1);
    return std::pair(audit.findings[0].verdict, audit.findings[0].target_count);
  };
  CHECK(verdicts("role: data") == std::pair(Verdict::fail, std::int64_t{3}));
  CHECK(verdicts("role: boot|data") == std::pair(Verdict::fail, std::int64_t{4}));
  CHECK(verdicts("model: Made*Drive") == std::pair(Verdict::fail, std::int64_t{4}));
  CHECK(verdicts("owner: filesystem") == std::pair(Verdict::fail, std::int64_t{1}));
  CHECK(verdicts("label: site=lab*").first == Verdict::fail);
  CHECK(verdicts("label: site=prod").first == Verdict::not_applicable);
  CHECK(verdicts("virtualization: none").first == Verdict::fail);
  CHECK(verdicts("virtualization: kvm").first == Verdict::not_applicable);
  CHECK(verdicts("driver: vfio*").first == Verdict::not_applicable);
}

TEST_CASE("mem.node_memory and numa.srat: what the firmware got wrong") {
  auto host = sample_host();
  host.numa.nodes[1].memory_bytes = 0;
  host.numa.nodes[2].memory_bytes = std::int64_t{16} << 30;
  auto audit = run_audit(host, shipped("balanced"));
  CHECK(failing(audit, Severity::warning) == std::set<std::string>{"mem.node_memory"});
  CHECK(failing(audit, Severity::info).contains("mem.node_memory"));

  host = sample_host();
  for (auto& node : host.numa.nodes) {
    for (auto& [to, distance] : node.distances) distance = to == std::to_string(node.id) ? 10 : 20;
  }
  CHECK(failing(run_audit(host, shipped("balanced")), Severity::warning).contains("numa.srat"));
  host.numa.nodes.resize(1);
  audit = run_audit(host, shipped("balanced"));
  CHECK(findings_of(audit, "numa.srat")[0].actual->starts_with("one_node"));
}

TEST_CASE("a queue that hangs leaves its drive unknown and the others judged") {
  auto host = sample_host();
  host.nvme.namespaces[1].queue.reset();
  add_problem(host, "nvme.namespaces[].queue", Cause::hung);
  const auto found = findings_of(run_audit(host, shipped("nvme-throughput")), "blk.scheduler");
  REQUIRE(found.size() == 2);
  CHECK(found[0].verdict == Verdict::unknown);
  CHECK(found[0].targets == std::vector<std::string>{"block:eui.1"});
  CHECK(found[1].verdict == Verdict::pass);
  CHECK(found[1].target_count == 3);
}
