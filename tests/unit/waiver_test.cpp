#include "tuners/waiver.hpp"

#include <doctest/doctest.h>

#include "base/moment.hpp"
#include "service/config.hpp"
#include "tests/unit/tree.hpp"
#include "tuners/audit.hpp"

using namespace lk;

namespace {

Profile profile_of(const std::string& checks) {
  const auto profile =
      ProfileStore().parse("name: test\ndescription: a test\nchecks:\n" + checks, "test.yaml");
  REQUIRE_MESSAGE(profile.ok(), (profile ? "" : profile.error().message()));
  return *profile;
}

Inventory host_with_governors(const std::vector<std::string>& governors) {
  Inventory host;
  for (std::size_t i = 0; i < governors.size(); ++i) {
    CpufreqPolicy policy;
    policy.id = static_cast<std::int64_t>(i);
    policy.cpus = CpuSet{static_cast<unsigned>(i)};
    policy.governor = governors[i];
    policy.governors = {"performance", "schedutil"};
    host.cpufreq.policies.push_back(policy);
  }
  return host;
}

Waiver waiver(const std::string& check, std::optional<std::string> target,
              std::optional<std::string> label = std::nullopt) {
  auto made = make_waiver({check, std::move(target), std::move(label), "a reason", "storage",
                           std::nullopt, "2099-01-01"});
  REQUIRE_MESSAGE(made.ok(), (made ? "" : made.error().message()));
  made->id = check + "-waiver";
  return *made;
}

constexpr const char* kGovernor =
    "  - {knob: cpu.governor, expect: performance, severity: warning, tune: safe}\n";

Inventory two_drives() {
  Inventory host;
  for (int i = 0; i < 2; ++i) {
    const auto n = std::to_string(i);
    NvmeController drive;
    drive.id = drive.pci_address.emplace("0000:3" + n + ":00.0");
    drive.name = "nvme" + n;
    drive.serial = "SN" + n;
    drive.slot = "7";  // shared, so that it names neither
    host.nvme.controllers.push_back(drive);
    NvmeNamespace space;
    space.name = "nvme" + n + "n1";
    space.wwid = "eui.00" + n;
    space.paths.push_back({});
    space.paths[0].name = space.name;
    space.paths[0].controller = "nvme" + n;
    host.nvme.namespaces.push_back(space);
  }
  return host;
}

bool covers(const std::string& target, const std::string& observed) {
  const auto host = two_drives();
  const std::vector<Waiver> all{waiver("x", target)};
  return WaiverMatch(all, host, "x").find(observed) != nullptr;
}

std::string refusal(const std::string& yaml) {
  test::Tree dir{{"config.yaml", yaml}};
  const auto config = load_config(dir.path() + "/config.yaml", true);
  if (config) return "accepted";
  auto message = config.error().message();
  if (message.starts_with(dir.path())) message.erase(0, dir.path().size() + 1);
  return message;
}

}  // namespace

TEST_CASE("moments: RFC 3339 in and out") {
  CHECK(moment_text(0) == "1970-01-01T00:00:00Z");
  CHECK(moment_text(4102444799) == "2099-12-31T23:59:59Z");
  CHECK(*parse_moment("2024-02-29T12:30:15Z") == 1709209815);
  CHECK(*parse_moment("2024-02-29t13:30:15.999+01:00") == 1709209815);
  CHECK(*parse_moment("2024-02-29T07:00:15-05:30") == 1709209815);
  CHECK(*parse_end("2024-02-28") == *parse_moment("2024-02-29T00:00:00Z"));
  for (const char* wrong :
       {"", "2024", "2023-02-29", "2024-13-01", "2024-1-1", "2024-02-29T12:30:15",
        "2024-02-29 12:30:15Z", "2024-02-29T24:00:00Z", "2024-02-29T12:30:15.Z",
        "2024-02-29T12:30:15+24:00", "1969-12-31", "2024-02-29x", "tomorrow"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_end(wrong));
  }
  CHECK_FALSE(parse_moment("2024-02-29"));
}

TEST_CASE("waivers: what is waived is a finding of its own; the verdict stays") {
  const auto host = host_with_governors({"schedutil", "performance", "schedutil", "schedutil"});
  const std::vector<Waiver> waivers{waiver("cpu.governor", "policy:2-3")};
  const auto audit = run_audit(host, profile_of(kGovernor), {}, waivers);
  REQUIRE(audit.findings.size() == 3);
  CHECK(audit.findings[0].targets == std::vector<std::string>{"policy:0"});
  CHECK_FALSE(audit.findings[0].waived);
  CHECK_FALSE(audit.findings[0].waiver.has_value());
  const auto& waived = audit.findings[1];
  CHECK(waived.targets == std::vector<std::string>{"policy:2-3"});
  CHECK(waived.verdict == Verdict::fail);
  CHECK(waived.waived);
  CHECK(waived.waiver.value().id == "cpu.governor-waiver");
  CHECK(waived.waiver.value().reason == "a reason");
  CHECK(waived.waiver.value().expires == "2099-01-02T00:00:00Z");
  CHECK(audit.findings[2].verdict == Verdict::pass);
  CHECK_FALSE(audit.findings[2].waived);
  CHECK(audit.summary.fail == 2);
  CHECK(audit.summary.waived == 1);
  CHECK(audit_exit_status(audit, Severity::warning) == 1);
}

TEST_CASE("waivers: with all fails waived the audit is clean") {
  const auto host = host_with_governors({"schedutil", "performance"});
  const std::vector<Waiver> waivers{waiver("cpu.governor", "*")};
  const auto audit = run_audit(host, profile_of(kGovernor), {}, waivers);
  CHECK(audit.summary.fail == 1);
  CHECK(audit.summary.waived == 1);
  CHECK(audit_exit_status(audit, Severity::info) == 0);
}

TEST_CASE("waivers: another check, another target or another label is not waived") {
  auto host = host_with_governors({"schedutil"});
  host.labels = {{"site", "lab"}};
  const auto waived = [&](const Waiver& each) {
    const std::vector<Waiver> all{each};
    return run_audit(host, profile_of(kGovernor), {}, all).summary.waived;
  };
  CHECK(waived(waiver("cpu.governor", "policy:0")) == 1);
  CHECK(waived(waiver("cpu.governor", "policy:*")) == 1);
  CHECK(waived(waiver("cpu.governor", "policy:1")) == 0);
  CHECK(waived(waiver("cpu.epp", "policy:0")) == 0);
  CHECK(waived(waiver("cpu.governor", std::nullopt, "site=lab")) == 1);
  CHECK(waived(waiver("cpu.governor", std::nullopt, "site=lab2")) == 0);
  CHECK(waived(waiver("cpu.governor", std::nullopt, "rack=lab")) == 0);
}

TEST_CASE("waivers: drives by every name that names one") {
  for (const char* name : {"nvme1", "SN1", "0000:31:00.0", "31:00.0", "nvme:0000:31:00.0",
                           "nvme:SN1", "eui.001", "nvme1n1", "/dev/nvme1n1"}) {
    CAPTURE(name);
    CHECK(covers(name, "nvme:0000:31:00.0"));
    CHECK(covers(name, "block:eui.001"));
    CHECK_FALSE(covers(name, "nvme:0000:30:00.0"));
    CHECK_FALSE(covers(name, "block:eui.000"));
  }
  CHECK(covers("nvme1", "irq:0000:31:00.0/3"));
  CHECK(covers("nvme1", "pci:0000:31:00.0"));
  CHECK_FALSE(covers("7", "nvme:0000:31:00.0"));  // the slot of both
  CHECK_FALSE(covers("SN2", "nvme:0000:31:00.0"));
}

TEST_CASE("waivers: in the configuration, strict, with file and line") {
  const std::string good =
      "waivers:\n  - check: cpu.governor\n    target: policy:0\n    reason: old firmware\n"
      "    owner: storage\n    ticket: OPS-1\n    expires: 2099-06-30\n";
  test::Tree dir{
      {"config.yaml", good},
      {"config.d/10.yaml",
       "waivers:\n  - {id: lab, check: pci.aspm_policy, label: site=lab, reason: r, owner: o,"
       " expires: \"2099-01-01T00:00:00+01:00\"}\n"},
      {"config.d/20.yaml",
       "waivers:\n  - {id: lab, check: pci.aspm_policy, label: site=lab, reason: new, owner: o,"
       " expires: 2099-01-01}\n"}};
  const auto config = load_config(dir.path() + "/config.yaml", true);
  REQUIRE_MESSAGE(config.ok(), (config ? "" : config.error().message()));
  REQUIRE(config->waivers.size() == 2);
  CHECK(config->waivers[0].id == "cpu.governor@policy:0");
  CHECK(config->waivers[0].ticket == "OPS-1");
  CHECK(config->waivers[0].expires == "2099-07-01T00:00:00Z");
  CHECK(config->waivers[0].origin == dir.path() + "/config.yaml:2");
  CHECK(config->waivers[1].id == "lab");
  CHECK(config->waivers[1].reason == "new");

  const auto with = [&](const std::string& what, const std::string& by) {
    auto text = good;
    text.replace(text.find(what), what.size(), by);
    return refusal(text);
  };
  CHECK(with("2099-06-30", "soon") ==
        "config.yaml:7: expires: \"soon\" is not a date like 2026-12-31 or a time like "
        "2026-12-31T08:00:00Z (RFC 3339)");
  CHECK(with("    reason: old firmware\n", "") == "config.yaml:2: a waiver needs reason");
  CHECK(with("    expires: 2099-06-30\n", "") == "config.yaml:2: a waiver needs expires");
  CHECK(with("reason: old firmware", "reason: \"\"") == "config.yaml:4: reason is empty");
  CHECK(with("owner", "ownr") == "config.yaml:5: unknown key \"ownr\", is \"owner\" meant?");
  CHECK(with("target: policy:0", "label: lab") == "config.yaml:3: label must be key=value");
  CHECK(with("    ticket: OPS-1\n", "    label: a=b\n") ==
        "config.yaml:6: a waiver has target or label, not both");
  CHECK(with("    target: policy:0\n", "") ==
        "config.yaml:2: a waiver needs target or label; target: \"*\" means everywhere");
  CHECK(refusal("waivers: {a: b}\n") == "config.yaml:1: waivers must be a list");
  CHECK(refusal(good + good.substr(good.find('\n') + 1)) ==
        "config.yaml:8: waiver \"cpu.governor@policy:0\" stands twice");
}
