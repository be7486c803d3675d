#include "tuners/audit.hpp"

#include <doctest/doctest.h>

#include "base/json_write.hpp"
#include "tuners/explain.hpp"

using namespace lk;

namespace {

Profile profile_of(const std::string& checks) {
  const auto profile =
      ProfileStore().parse("name: test\ndescription: a test\nchecks:\n" + checks, "test.yaml");
  REQUIRE_MESSAGE(profile.ok(), (profile ? "" : profile.error().message()));
  return *profile;
}

CpufreqPolicy policy(std::int64_t id, std::optional<std::string> governor) {
  CpufreqPolicy made;
  made.id = id;
  made.cpus = CpuSet{static_cast<unsigned>(id)};
  made.governor = std::move(governor);
  made.governors = {"performance", "schedutil"};
  return made;
}

Inventory host_with_governors(const std::vector<std::optional<std::string>>& governors) {
  Inventory host;
  for (std::size_t i = 0; i < governors.size(); ++i) {
    host.cpufreq.policies.push_back(policy(static_cast<std::int64_t>(i), governors[i]));
  }
  return host;
}

void add_problem(Inventory& host, const std::string& field, Cause cause, const std::string& path) {
  host.probes.push_back({"test",
                         ProbeStatus::partial,
                         0,
                         {{field, cause, path, "EACCES", "cannot read " + path, 1}}});
}

constexpr const char* kGovernor =
    "  - {knob: cpu.governor, expect: performance, severity: warning, tune: safe}\n";

}  // namespace

TEST_CASE("audit: targets with one verdict and value are one finding, worst first") {
  const auto host =
      host_with_governors({"performance", "schedutil", "schedutil", "performance", "schedutil"});
  const auto audit = run_audit(host, profile_of(kGovernor));
  REQUIRE(audit.findings.size() == 2);
  const auto& fail = audit.findings[0];
  CHECK(fail.verdict == Verdict::fail);
  CHECK(fail.severity == Severity::warning);
  CHECK(fail.targets == std::vector<std::string>{"policy:1-2,4"});
  CHECK(fail.target_count == 3);
  CHECK(fail.actual == "schedutil");
  CHECK(fail.expected == "performance");
  CHECK_FALSE(fail.why.empty());
  CHECK(fail.remedy.kind == RemedyKind::runtime);
  CHECK(fail.remedy.command ==
        "echo performance | tee /sys/devices/system/cpu/cpufreq/policy{{1..2},4}/scaling_governor");
  REQUIRE(fail.evidence.size() == 3);
  CHECK(fail.evidence[0].path == "sys/devices/system/cpu/cpufreq/policy1/scaling_governor");
  CHECK(fail.evidence[0].raw == "schedutil");
  CHECK(audit.findings[1].verdict == Verdict::pass);
  CHECK(audit.findings[1].targets == std::vector<std::string>{"policy:0,3"});
  CHECK(audit.summary.fail == 1);
  CHECK(audit.summary.pass == 1);
}

TEST_CASE("audit: a host without the hardware has one not_applicable finding") {
  const auto audit = run_audit(Inventory{}, profile_of(kGovernor));
  REQUIRE(audit.findings.size() == 1);
  CHECK(audit.findings[0].verdict == Verdict::not_applicable);
  CHECK(audit.findings[0].targets == std::vector<std::string>{"host"});
  CHECK(audit.findings[0].reason.has_value());
  CHECK_FALSE(audit.findings[0].actual.has_value());
}

TEST_CASE("audit: why a value is missing decides between not_applicable and unknown") {
  auto host = host_with_governors({"performance", std::nullopt});
  add_problem(host, "cpufreq.policies[].governor", Cause::denied,
              "sys/devices/system/cpu/cpufreq/policy1/scaling_governor");
  const auto audit = run_audit(host, profile_of(kGovernor));
  REQUIRE(audit.findings.size() == 2);
  CHECK(audit.findings[0].verdict == Verdict::unknown);
  CHECK(audit.findings[0].targets == std::vector<std::string>{"policy:1"});
  CHECK(audit.findings[0].reason->find("run it as root") != std::string::npos);
  REQUIRE(audit.findings[0].evidence.size() == 1);
  CHECK(audit.findings[0].evidence[0].raw == "EACCES");

  host.probes[0].problems[0].cause = Cause::absent;
  CHECK(run_audit(host, profile_of(kGovernor)).findings[1].verdict == Verdict::not_applicable);
}

TEST_CASE("audit: exit status") {
  const auto status = [](const Inventory& host, Severity level) {
    return audit_exit_status(run_audit(host, profile_of(kGovernor)), level);
  };
  CHECK(status(host_with_governors({"performance"}), Severity::info) == 0);
  CHECK(status(host_with_governors({"schedutil"}), Severity::warning) == 1);
  CHECK(status(host_with_governors({"schedutil"}), Severity::info) == 1);
  CHECK(status(host_with_governors({"schedutil"}), Severity::critical) == 0);
  auto denied = host_with_governors({std::nullopt});
  add_problem(denied, "cpufreq.policies[].governor", Cause::denied, "sys/x");
  CHECK(status(denied, Severity::warning) == 3);
  CHECK(status(denied, Severity::critical) == 0);
  denied.cpufreq.policies.push_back(policy(1, "schedutil"));
  CHECK(status(denied, Severity::warning) == 1);
  auto audit = run_audit(host_with_governors({"schedutil"}), profile_of(kGovernor));
  audit.findings[0].waived = true;
  CHECK(audit_exit_status(audit, Severity::warning) == 0);
}

TEST_CASE("audit: --only leaves the other checks out") {
  const auto profile = profile_of(std::string(kGovernor) + "  - {knob: mem.swappiness}\n");
  const auto audit = run_audit(host_with_governors({"schedutil"}), profile, {"mem.swappiness"});
  REQUIRE(audit.findings.size() == 1);
  CHECK(audit.findings[0].check == "mem.swappiness");
  CHECK(audit.summary.fail == 0);
}

TEST_CASE("audit: the JSON form has every field") {
  const auto text =
      audit_json(run_audit(host_with_governors({"schedutil"}), profile_of(kGovernor)));
  CHECK(text.find("\"verdict\":\"fail\"") != std::string::npos);
  CHECK(text.find("\"targets\":[\"policy:0\"]") != std::string::npos);
  CHECK(text.find("\"since\":null") != std::string::npos);
}

TEST_CASE("explain: what, why, evidence and the next command") {
  const auto profile = profile_of(kGovernor);
  const auto audit = run_audit(host_with_governors({"schedutil"}), profile);
  const auto text = explain(audit, profile, "cpu.governor");
  for (const auto* part : {"CPU frequency governor", "why: ", "expects: performance", "FAIL",
                           "policy:0", "scaling_governor: schedutil", "echo performance | tee"}) {
    CHECK_MESSAGE(text.find(part) != std::string::npos, part);
  }
  CHECK(explain(audit, profile, "mem.swappiness").find("does not check it") != std::string::npos);
  CHECK(explain(audit, profile, "no.such").empty());
}
