#include "probes/reader.hpp"
#include "probes/probe.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>

#include "tests/unit/tree.hpp"

// Stand-ins for the reader's executable: what matters here is how the parent behaves.

using namespace lk;
using namespace std::chrono_literals;

namespace {

const Problem* find_problem(const Inventory& inventory, Cause cause) {
  for (const auto& probe : inventory.probes) {
    for (const auto& each : probe.problems) {
      if (each.cause == cause) return &each;
    }
  }
  return nullptr;
}

std::string inventory_text() {
  Inventory inventory;
  inventory.boot_id = "test";
  return inventory_json(inventory);
}

std::string script(test::Tree& tree, const std::string& body) {
  tree.file("reader.sh", "#!/bin/sh\nrequest=$(cat)\n" + body);
  ::chmod((tree.path() + "/reader.sh").c_str(), 0755);
  return tree.path() + "/reader.sh";
}

const std::string kAnswer = "printf 'I %s\\n%s' " + std::to_string(inventory_text().size()) + " '" +
                            inventory_text() + "'\n";

}  // namespace

TEST_CASE("reader: a whole answer is the inventory") {
  test::Tree tree;
  Reader reader(script(tree, "echo 'U probe:cpu'\n" + kAnswer));
  const auto inventory = reader.read({});
  REQUIRE_MESSAGE(inventory.ok(), inventory.error().message());
  CHECK(inventory->boot_id == "test");
  CHECK(reader.stuck_units().empty());
}

TEST_CASE("reader: a unit that hangs is left out of the next try") {
  test::Tree tree;
  Reader reader(script(tree,
                       "echo 'U block:nvme1n1'\n"
                       "case $request in *block:nvme1n1*) ;; *) exec sleep 60;; esac\n" +
                           kAnswer),
                {.unit = 300ms, .total = 5s});
  const auto start = std::chrono::steady_clock::now();
  CHECK(reader.read({}).ok());
  CHECK(std::chrono::steady_clock::now() - start < 2s);
}

TEST_CASE("reader: a slow start and a wait for a processor are not a hang") {
  test::Tree tree;
  // Without asking to leave anything out again: both would, were they taken for a hang.
  Reader reader(script(tree,
                       "sleep 0.5\n"
                       "echo 'U block:nvme1n1'\n"
                       "now() { read -r t _ </proc/uptime; t=${t%.*}${t#*.}; }\n"
                       "now; end=$((t + 70)); while [ $t -lt $end ]; do now; done\n"
                       "case $request in *block:nvme1n1*) exit 7;; esac\n" +
                           kAnswer),
                {.unit = 300ms, .total = 20s});
  const auto inventory = reader.read({});
  REQUIRE_MESSAGE(inventory.ok(), inventory.error().message());
}

TEST_CASE("reader: one that is killed in a unit costs that unit") {
  test::Tree tree;
  Reader reader(script(tree,
                       "echo 'U probe:irqs'\n"
                       "case $request in *probe:irqs*) ;; *) kill -9 $$;; esac\n" +
                           kAnswer));
  CHECK(reader.read({}).ok());
  // What the next one is told about it.
  Reader told(script(tree,
                     "echo 'U probe:irqs'\n"
                     "case $request in *'killed by signal 11 (Segmentation fault)'*) ;; "
                     "*) kill -11 $$;; esac\n" +
                         kAnswer));
  CHECK(told.read({}).ok());
}

TEST_CASE("reader: no answer at all is an error that says how it ended") {
  test::Tree tree;
  CHECK(Reader(script(tree, "exit 5\n")).read({}).error().message() ==
        "the reader process gave no inventory: it exited with 5");
  CHECK(Reader(script(tree, "echo garbage; echo 'I 12'; exit 0\n"))
            .read({})
            .error()
            .what.find("gave no inventory") != std::string::npos);
  CHECK(Reader(script(tree, "printf 'I 3\\n{}}'\n")).read({}).error().what.find("refused") !=
        std::string::npos);
  CHECK(Reader("/nonexistent").read({}).error().what.find("exited with 127") != std::string::npos);
  CHECK(Reader(script(tree, "printf 'E 4\\noops'\n")).read({}).error().message() == "oops");
}

TEST_CASE("reader: it never waits longer than its limit") {
  test::Tree tree;
  Reader reader(script(tree, "n=0; while :; do n=$((n+1)); echo \"U u$n\"; sleep 0.05; done\n"),
                {.unit = 200ms, .total = 700ms});
  const auto start = std::chrono::steady_clock::now();
  CHECK_FALSE(reader.read({}).ok());
  CHECK(std::chrono::steady_clock::now() - start < 3s);
}

TEST_CASE("collect: a skipped unit is a problem that says it hung") {
  test::Tree tree;
  const auto root = tree.root();
  CollectOptions options;
  options.skip = {{"probe:irqs", {}}};
  const auto inventory = collect(root, options);
  const auto* problem = find_problem(inventory, Cause::hung);
  REQUIRE(problem != nullptr);
  CHECK(problem->message == "probe:irqs gave no answer in time and was left out");
  const auto report = std::find_if(inventory.probes.begin(), inventory.probes.end(),
                                   [](const auto& each) { return each.name == "irqs"; });
  CHECK(report->status == ProbeStatus::failed);
}

TEST_CASE("collect: a unit that killed its reader says so") {
  test::Tree tree;
  const auto root = tree.root();
  CollectOptions options;
  options.skip = {{"probe:irqs", {"the reader was killed by signal 11"}}};
  const auto inventory = collect(root, options);
  CHECK(find_problem(inventory, Cause::hung) == nullptr);
  for (const auto& probe : inventory.probes) {
    if (probe.name != "irqs") continue;
    CHECK(probe.status == ProbeStatus::failed);
    REQUIRE(probe.problems.size() == 1);
    CHECK(probe.problems[0].message ==
          "the reader was killed by signal 11 while reading probe:irqs, which was left out");
  }
}

TEST_CASE("collect: an inventory survives its JSON") {
  test::Tree tree{{"proc/cmdline", "quiet\n"}};
  const auto inventory = collect(tree.root());
  const auto back = inventory_from_json(inventory_json(inventory));
  REQUIRE_MESSAGE(back.ok(), back.error().message());
  CHECK(inventory_json(*back) == inventory_json(inventory));
  CHECK(content_digest(*back) == content_digest(inventory));
}
