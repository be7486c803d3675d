// What is said about drives' links, and about drives that are not well.
#include "audit_case.hpp"
#include "probes/link_verdict.hpp"

using namespace lk;

TEST_CASE("nvme.link: degraded warns, capped by the firmware informs") {
  auto host = sample_host();
  auto& drive = host.nvme.controllers[2];
  const auto relink = [&](double speed, std::int64_t width) {
    drive.path[1].link.speed_gts = speed;
    drive.path[1].link.width = width;
    drive.link = judge_link(drive.path);
  };
  relink(8, 2);
  auto found = findings_of(run_audit(host, shipped("balanced")), "nvme.link");
  REQUIRE(found.size() == 2);
  CHECK(found[0].verdict == Verdict::fail);
  CHECK(found[0].severity == Severity::warning);
  CHECK(found[0].actual == "degraded (8 GT/s x2 of 16 GT/s x4)");
  CHECK(found[0].names == std::vector<std::string>{"nvme2 (SN2, 0000:21:00.0)"});
  // Lanes are missing too: the cap is not all.
  drive.path[1].capped_by_firmware = true;
  relink(8, 2);
  found = findings_of(run_audit(host, shipped("balanced")), "nvme.link");
  CHECK(found[0].severity == Severity::warning);
  relink(8, 4);
  found = findings_of(run_audit(host, shipped("balanced")), "nvme.link");
  CHECK(found[0].severity == Severity::info);
  CHECK(found[0].actual == "capped (8 GT/s x4 of 16 GT/s x4)");
  CHECK(found[0].evidence.back().path == "sys/bus/pci/devices/0000:20:01.0/config");
  CHECK(audit_exit_status(run_audit(host, shipped("balanced")), Severity::warning) == 0);
}

TEST_CASE("nvme.link: a slot that can do less is named, and nothing is wrong") {
  auto host = sample_host();
  auto& drive = host.nvme.controllers[2];
  drive.path[0].link = drive.path[1].link = {8.0, 4, 8.0, 4, std::nullopt};
  drive.path[1].link.max_speed_gts = 16;
  drive.link = judge_link(drive.path);
  const auto found = findings_of(run_audit(host, shipped("balanced")), "nvme.link");
  REQUIRE(found.size() == 2);
  CHECK(found[0].verdict == Verdict::pass);
  CHECK(found[1].actual == "full (8 GT/s x4, all that its port can do)");
  CHECK(found[1].evidence.back().path == "sys/bus/pci/devices/0000:20:01.0/max_link_speed");
  CHECK(found[1].evidence.back().raw == "8 GT/s");
}

TEST_CASE("nvme.link: a port further up is named in place of the drives below it") {
  auto host = sample_host();
  PathElement root;
  root.address = "0000:40:01.0";
  root.kind = PortKind::root_port;
  root.link = {16.0, 8, 16.0, 16, std::nullopt};
  PathElement up = root;
  up.address = "0000:41:00.0";
  up.kind = PortKind::switch_upstream;
  for (auto& drive : host.nvme.controllers) {
    drive.path[0].kind = PortKind::switch_downstream;
    drive.path.insert(drive.path.begin(), {root, up});
    drive.link = judge_link(drive.path);
    CHECK(drive.link.degraded_at == std::vector<std::string>{up.address});
  }
  const auto found = findings_of(run_audit(host, shipped("balanced")), "nvme.link");
  REQUIRE(found.size() == 1);
  CHECK(found[0].target_count == 4);
  CHECK(found[0].actual ==
        "degraded (the link of 0000:41:00.0, a port above, runs at 16 GT/s x8 of 16 GT/s x16)");
  CHECK(found[0].evidence.front().path == "sys/bus/pci/devices/0000:41:00.0/current_link_speed");
  CHECK(found[0].remedy.text.find("0000:40:01.0") != std::string::npos);
  CHECK(found[0].remedy.text.find("Reseat the drive") == std::string::npos);
}

TEST_CASE("pcie.aspm_link: a link that several drives share names them all") {
  auto host = sample_host();
  PathElement up;
  up.address = "0000:41:00.0";
  up.kind = PortKind::switch_upstream;
  up.aspm = {false, true, AspmSource::config_space};
  up.aspm_control = 2;
  for (auto& drive : host.nvme.controllers) {
    drive.path.back().aspm = {false, false, AspmSource::link_attributes};
    drive.path.insert(drive.path.begin(), up);
  }
  const auto found = findings_of(run_audit(host, shipped("nvme-throughput")), "pcie.aspm_link");
  REQUIRE(found.size() == 2);
  CHECK(found[0].targets == std::vector<std::string>{"pci:0000:41:00.0"});
  REQUIRE(found[0].names.size() == 4);
  CHECK(found[0].names[3] == "nvme3 (SN3, 0000:31:00.0)");
  CHECK(found[0].evidence[0].raw == "LNKCTL enables l1");
  CHECK(found[0].remedy.command == "echo 0 | tee /sys/bus/pci/devices/0000:41:00.0/link/l1_aspm");
}

TEST_CASE("evidence: shows what a file said where the value is what that means") {
  auto host = sample_host();
  const std::string path = "sys/block/nvme0n1/queue/scheduler";
  host.file_texts[path] = "[none] mq-deadline";
  const auto found = findings_of(run_audit(host, shipped("nvme-throughput")), "blk.scheduler");
  REQUIRE_FALSE(found.empty());
  CHECK(found[0].evidence[0].path == path);
  CHECK(found[0].evidence[0].raw == "[none] mq-deadline");
}

TEST_CASE("nvme.state: dead, given up and unusable drives are critical") {
  auto host = sample_host();
  host.nvme.controllers[0].state = "dead";
  host.nvme.controllers[1].state.reset();
  host.nvme.controllers[1].name.reset();
  host.nvme.controllers[1].driver.reset();
  host.nvme.namespaces[2].paths[0].ana_state = "inaccessible";
  host.nvme.controllers[3].driver = "vfio-pci";
  const auto audit = run_audit(host, shipped("balanced"));
  std::set<std::string> values;
  for (const auto& finding : findings_of(audit, "nvme.state")) {
    if (finding.verdict == Verdict::fail) {
      CHECK(finding.severity == Severity::critical);
      values.insert(finding.actual->substr(0, finding.actual->find(' ')));
    } else {
      CHECK(finding.verdict == Verdict::not_applicable);
    }
  }
  CHECK(values == std::set<std::string>{"dead", "no_driver", "path_unusable"});
}

TEST_CASE("pcie.aspm_link: what the firmware set without the kernel is unknown, not off") {
  auto host = sample_host();
  auto found = findings_of(run_audit(host, shipped("nvme-throughput")), "pcie.aspm_link");
  CHECK(found[0].verdict == Verdict::fail);
  CHECK(found[0].actual == "l1");
  host.pci.aspm.os_control = false;
  for (auto& drive : host.nvme.controllers) drive.path.back().aspm = {};
  add_problem(host, "nvme.controllers[].path[].aspm.l1", Cause::absent);
  found = findings_of(run_audit(host, shipped("nvme-throughput")), "pcie.aspm_link");
  REQUIRE(found.size() == 1);
  CHECK(found[0].verdict == Verdict::unknown);
  const auto policy = findings_of(run_audit(host, shipped("nvme-max")), "pcie.aspm_policy");
  CHECK(policy[0].verdict == Verdict::locked);
}
