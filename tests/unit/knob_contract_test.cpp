#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "base/text.hpp"
#include "probes/probe.hpp"
#include "sample_host.hpp"
#include "tests/unit/tree.hpp"
#include "tuners/audit.hpp"
#include "tuners/knob_docs.hpp"

using namespace lk;

namespace {

std::set<std::string> knob_files() {
  std::set<std::string> stems;
  for (const auto word : split(LK_KNOB_FILES, '|')) {
    const auto name = word.substr(word.rfind('/') + 1);
    stems.emplace(name.substr(0, name.rfind(".cpp")));
  }
  return stems;
}

std::vector<Profile> shipped() {
  std::vector<Profile> profiles;
  for (const auto& entry : ProfileStore().list()) {
    auto profile = ProfileStore().load(entry.name);
    REQUIRE(profile.ok());
    profiles.push_back(*std::move(profile));
  }
  return profiles;
}

std::string content(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// An expectation that a value cannot meet.
Expectation other_than(const Value& value) {
  return *Expectation::parse("!= " + to_text(value));
}

}  // namespace

TEST_CASE("knobs: one file each, in the table, sorted, with a proper id") {
  std::set<std::string> ids;
  std::string last;
  const std::regex pattern("[a-z]+\\.[a-z0-9_]+");
  for (const Knob* knob : knobs()) {
    const std::string id(knob->id);
    CAPTURE(id);
    CHECK(std::regex_match(id, pattern));
    CHECK(last < id);
    CHECK(find_knob(id) == knob);
    ids.insert(id);
    last = id;
  }
  CHECK(ids == knob_files());
  CHECK(find_knob("no.such") == nullptr);
}

TEST_CASE("knobs: everything is said about each") {
  for (const Knob* knob : knobs()) {
    CAPTURE(knob->id);
    CHECK_FALSE(knob->title.empty());
    CHECK(knob->doc.find("By hand: ") != std::string_view::npos);
    CHECK(knob->why.size() > 40);
    CHECK((knob->observe != nullptr));
    CHECK((knob->remedy != nullptr));
    CHECK((knob->risk != Risk::report_only ||
           (knob->power_cost == PowerCost::none && !knob->io_stall)));
    CHECK((knob->words.empty() || knob->kind != ValueKind::number));
    CHECK((knob->references.empty() || knob->kind != ValueKind::word));
  }
}

TEST_CASE("knobs: an empty inventory gives no value") {
  for (const Knob* knob : knobs()) {
    CAPTURE(knob->id);
    // Nothing was found running, no IOMMU: that can be said of an empty inventory.
    const std::set<std::string_view> absence{"irq.balancer", "env.rivals", "kernel.iommu"};
    for (const auto& seen : knob->observe(Inventory{})) {
      if (absence.contains(knob->id)) continue;
      CHECK_FALSE(seen.value.has_value());
      CHECK(seen.no_value != Verdict::pass);
      CHECK(seen.no_value != Verdict::fail);
      CHECK_FALSE(seen.reason.empty());
    }
  }
}

TEST_CASE("knobs: a full inventory gives values of the kind said, with evidence and a remedy") {
  auto host = sample_host();
  for (const Knob* knob : knobs()) {
    CAPTURE(knob->id);
    // EPB only counts where there is no EPP; the drive's own write cache is never asked for.
    if (knob->id == "cpu.epb") {
      for (auto& policy : host.cpufreq.policies) policy.epp.reset();
    }
    const auto all = knob->observe(host);
    host = sample_host();
    REQUIRE_FALSE(all.empty());
    bool any = false;
    for (const auto& seen : all) {
      CHECK_FALSE(seen.target.empty());
      if (!seen.value) {
        CHECK_FALSE(seen.reason.empty());
        continue;
      }
      any = true;
      CHECK_FALSE(seen.evidence.empty());
      for (const auto& each : seen.evidence) CHECK_FALSE(each.path.starts_with("/"));
      const bool number = std::holds_alternative<std::int64_t>(*seen.value);
      CHECK((knob->kind == ValueKind::either || number == (knob->kind == ValueKind::number)));
      if (!number && !knob->words.empty()) {
        CHECK(std::count(knob->words.begin(), knob->words.end(),
                         std::get<std::string>(*seen.value)) == 1);
      }
      const auto remedy = knob->remedy({&seen}, other_than(*seen.value));
      CHECK_FALSE(remedy.text.empty());
    }
    CHECK(any == (knob->id != "blk.write_cache_view"));
  }
}

TEST_CASE("knobs: rival tuners claim knobs that exist") {
  test::Tree tree;
  const std::vector<std::string> processes{"tuned",           "tuned-ppd", "irqbalance",
                                           "power-profiles-", "thermald",  "tlp",
                                           "auto-cpufreq",    "numad",     "bpftune"};
  for (std::size_t i = 0; i < processes.size(); ++i) {
    tree.file("proc/" + std::to_string(100 + i) + "/comm", processes[i] + "\n");
  }
  std::size_t claims = 0;
  for (const auto& tuner : collect(tree.root()).tuners) {
    CAPTURE(tuner.name);
    for (const auto& id : tuner.owns) {
      ++claims;
      CHECK_MESSAGE(find_knob(id) != nullptr, id);
    }
  }
  CHECK(claims > 20);
}

TEST_CASE("knobs: hidden processes leave rivals unknown") {
  auto host = sample_host();
  host.tuners.clear();
  ProbeReport report{.name = "tuners",
                     .status = ProbeStatus::partial,
                     .duration_us = 0,
                     .problems = {{.field = "tuners",
                                   .cause = Cause::denied,
                                   .path = "proc",
                                   .error = {},
                                   .message = "other users' processes are hidden",
                                   .count = 1}}};
  host.probes.push_back(report);
  for (const auto* id : {"irq.balancer", "env.rivals"}) {
    const auto all = find_knob(id)->observe(host);
    REQUIRE(all.size() == 1);
    CHECK_FALSE(all.front().value.has_value());
    CHECK(all.front().no_value == Verdict::unknown);
  }
}

TEST_CASE("profiles: every warning or worse has a command or says what to set in the firmware") {
  for (const auto& profile : shipped()) {
    for (const auto& check : profile.checks) {
      if (!check.expect || check.severity < Severity::warning) continue;
      CAPTURE(profile.name);
      CAPTURE(check.id);
      const Knob& knob = *find_knob(check.knob);
      const auto all = knob.observe(sample_host());
      const auto with_value =
          std::find_if(all.begin(), all.end(), [](const auto& seen) { return bool(seen.value); });
      Observation wrong = with_value != all.end() ? *with_value : all.front();
      if (!wrong.value) wrong.value = Value{"differs"};
      const auto remedy = knob.remedy({&wrong}, *check.expect);
      CHECK_FALSE(remedy.text.empty());
      CHECK((remedy.command.has_value() || remedy.kind == RemedyKind::firmware));
      CHECK(knob.why.size() > 40);
    }
  }
}

TEST_CASE("docs: knobs.md is current") {
  const std::string path = std::string(LK_SOURCE_DIR) + "/docs/knobs.md";
  const auto text = knobs_markdown();
  if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
  CHECK_MESSAGE(content(path) == text,
                "docs/knobs.md is old: run the tests once with UPDATE_GOLDEN=1");
}
