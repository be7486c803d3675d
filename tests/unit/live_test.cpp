#include <doctest/doctest.h>
#include <sqlite3.h>

#include <fstream>

#include "service/event_log.hpp"
#include "service/history.hpp"
#include "service/verdict_log.hpp"
#include "tests/unit/tree.hpp"
#include "tuners/group.hpp"

using namespace lk;

namespace {

Inventory boot(const std::string& id, const std::string& kernel) {
  Inventory inventory;
  inventory.boot_id = id;
  inventory.host.kernel = kernel;
  return inventory;
}

Audit audit_of(std::vector<std::string> targets, Verdict verdict) {
  Finding finding;
  finding.check = "cpu.governor";
  finding.targets = std::move(targets);
  finding.verdict = verdict;
  Audit audit;
  audit.profile = "balanced";
  audit.findings = {finding};
  return audit;
}

}  // namespace

TEST_CASE("events: those after a number, in order; none are skipped silently") {
  EventLog log;
  CHECK(log.newest() == 0);
  CHECK(log.after(0, 10)->empty());
  log.add("inventory", "{}");
  log.add("finding", "{}");
  REQUIRE(log.after(0, 10));
  CHECK(log.after(0, 10)->size() == 2);
  CHECK(log.after(0, 1)->at(0).number == 1);
  CHECK(log.after(1, 10)->at(0).type == "finding");
  CHECK_FALSE(log.after(3, 10));  // never was
  for (std::size_t i = 0; i < EventLog::kMostEvents; ++i) log.add("finding", "{}");
  CHECK_FALSE(log.after(1, 10));
  CHECK(log.after(2, 10)->at(0).number == 3);
}

TEST_CASE("events: large ones push old ones out, the newest stays") {
  EventLog log;
  log.add("inventory", std::string(EventLog::kMostBytes, 'x'));
  CHECK(log.after(0, 10)->size() == 1);
  log.add("inventory", std::string(EventLog::kMostBytes, 'x'));
  CHECK_FALSE(log.after(0, 10));
  CHECK(log.after(1, 10)->size() == 1);
}

TEST_CASE("events: ids are of one run of the program") {
  const EventLog log;
  CHECK(log.number_of(log.id_of(17)) == 17);
  CHECK_FALSE(log.number_of("00000000-1x"));
  CHECK_FALSE(log.number_of(log.id_of(17) + "x"));
  CHECK_FALSE(log.number_of(""));
  CHECK_FALSE(EventLog().number_of(log.id_of(17)));
}

TEST_CASE("verdicts: since when, and what changed") {
  VerdictLog log;
  auto first = audit_of({"cpu:0-3", "node:1"}, Verdict::fail);
  CHECK(log.stamp(first, "t1").empty());
  CHECK(first.findings[0].since == "t1");

  auto same = audit_of({"cpu:0-3", "node:1"}, Verdict::fail);
  CHECK(log.stamp(same, "t2").empty());
  CHECK(same.findings[0].since == "t1");

  auto joined = audit_of({"cpu:0-4", "node:1"}, Verdict::fail);
  const auto added = log.stamp(joined, "t3");
  CHECK(joined.findings[0].since == "t3");  // not all of them since t1
  REQUIRE(added.size() == 1);
  CHECK(added[0].targets == std::vector<std::string>{"cpu:4"});
  CHECK_FALSE(added[0].from);
  CHECK(added[0].to == Verdict::fail);

  auto mended = audit_of({"cpu:0-4"}, Verdict::pass);
  const auto turned = log.stamp(mended, "t4");
  REQUIRE(turned.size() == 2);
  CHECK(mended.findings[0].since == "t4");
  const auto& gone = turned[0].to ? turned[1] : turned[0];
  const auto& turn = turned[0].to ? turned[0] : turned[1];
  CHECK(gone.targets == std::vector<std::string>{"node:1"});
  CHECK(gone.from == Verdict::fail);
  CHECK(turn.targets == std::vector<std::string>{"cpu:0-4"});
  CHECK(turn.to == Verdict::pass);
}

TEST_CASE("targets: what is compacted can be told apart again") {
  const std::vector<std::string> all{
      "block:uuid.6e3f-12", "cpu:0", "cpu:1", "cpu:5", "irq:0000:3b:00.0/1", "irq:0000:3b:00.0/2",
      "nvme:0000:3b:00.0"};
  CHECK(expand_targets(compact_targets(all)) == all);
}

TEST_CASE("history: the last inventory of each boot, apart for each source") {
  test::Tree tree;
  const auto dir = tree.path() + "/state";
  {
    const auto history = History::create(dir);
    REQUIRE(history);
    const auto none = (*history)->before("/", "b2");
    REQUIRE(none);
    CHECK_FALSE(*none);
    REQUIRE((*history)->keep("/", boot("b1", "6.1"), R"({"n":1})"));
    REQUIRE((*history)->keep("/", boot("b1", "6.1"), R"({"n":2})"));
    REQUIRE((*history)->keep("/some/tree", boot("t1", "5.4"), R"({"n":3})"));
  }
  const auto again = History::existing(dir);
  REQUIRE(again);
  const auto text = (*again)->before("/", "b2");
  REQUIRE(text);
  CHECK(*text == R"({"n":2})");
  const auto same = (*again)->before("/", "b1");
  REQUIRE(same);
  CHECK_FALSE(*same);
}

TEST_CASE("history: old boots go, those before another kernel stay longer") {
  test::Tree tree;
  const auto history = History::create(tree.path() + "/state");
  REQUIRE(history);
  REQUIRE((*history)->keep("/", boot("old", "5.10"), "{}"));
  for (int i = 0; i < 20; ++i) {
    REQUIRE((*history)->keep("/", boot("b" + std::to_string(i), "6.1"), "{}"));
  }
  const auto boots = (*history)->boots("/");
  REQUIRE(boots);
  REQUIRE(boots->size() == History::kBoots + 1);
  CHECK(boots->front().boot_id == "b19");
  CHECK(boots->back().boot_id == "old");
}

TEST_CASE("history: a file that is none, or is newer, is left alone") {
  test::Tree tree;
  tree.file("state/runs.db",
            "this is not a database, and longer than a header of one would be....");
  const auto broken = History::create(tree.path() + "/state");
  REQUIRE_FALSE(broken);
  CHECK(broken.error().message().find("runs.db") != std::string::npos);
  CHECK_FALSE(History::existing(tree.path() + "/nowhere"));
  CHECK_FALSE(History::create("/proc/nowhere/state"));
}

TEST_CASE("history: waivers are kept for their source, and a file of version 1 gets the table") {
  test::Tree tree;
  const auto dir = tree.path() + "/state";
  REQUIRE(History::create(dir));
  sqlite3* raw = nullptr;
  REQUIRE(sqlite3_open((dir + "/runs.db").c_str(), &raw) == SQLITE_OK);
  REQUIRE(sqlite3_exec(raw, "DROP TABLE waivers; PRAGMA user_version = 1", nullptr, nullptr,
                       nullptr) == SQLITE_OK);
  sqlite3_close(raw);
  const auto old = History::existing(dir);
  REQUIRE(old);
  const auto none = (*old)->waivers("/");
  REQUIRE(none);
  CHECK(none->empty());

  auto waiver = *make_waiver(
      {"cpu.governor", "policy:0", std::nullopt, "reason", "owner", std::nullopt, "2099-01-01"});
  waiver.id = "api-1";
  waiver.source = WaiverSource::api;
  waiver.origin = "user 0";
  {
    const auto history = History::create(dir);
    REQUIRE(history);
    REQUIRE((*history)->add_waiver("/", waiver));
    CHECK_FALSE((*history)->add_waiver("/", waiver));  // the id is taken
  }
  const auto history = History::create(dir);
  REQUIRE(history);
  CHECK((*history)->waivers("/").value_or({}) == std::vector<Waiver>{waiver});
  CHECK((*history)->waivers("/some/tree").value_or({waiver}).empty());
  CHECK((*history)->remove_waiver("/some/tree", "api-1").error().err == ENOENT);
  REQUIRE((*history)->remove_waiver("/", "api-1"));
  CHECK((*history)->waivers("/").value_or({waiver}).empty());
}
