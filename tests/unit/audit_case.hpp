// What tests of shipped profiles and knobs on made-up hosts share.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "sample_host.hpp"
#include "tuners/audit.hpp"

namespace lk {

inline Profile shipped(const std::string& name) {
  auto profile = ProfileStore().load(name);
  REQUIRE(profile.ok());
  return *std::move(profile);
}

inline Profile of_checks(const std::string& checks) {
  auto profile = ProfileStore().parse("name: t\nchecks:\n" + checks, "t.yaml");
  REQUIRE_MESSAGE(profile.ok(), (profile ? "" : profile.error().message()));
  return *std::move(profile);
}

inline std::set<std::string> failing(const Audit& audit, Severity severity) {
  std::set<std::string> checks;
  for (const auto& finding : audit.findings) {
    if (finding.verdict == Verdict::fail && finding.severity == severity) {
      checks.insert(finding.check);
    }
  }
  return checks;
}

inline std::vector<Finding> findings_of(const Audit& audit, const std::string& check) {
  std::vector<Finding> found;
  std::copy_if(audit.findings.begin(), audit.findings.end(), std::back_inserter(found),
               [&](const Finding& finding) { return finding.check == check; });
  return found;
}

inline void add_problem(Inventory& host, const std::string& field, Cause cause) {
  host.probes.push_back({"test", ProbeStatus::partial, 0, {}});
  host.probes.back().problems = {{field, cause, std::nullopt, std::nullopt, "for a test", 1}};
}

}  // namespace lk
