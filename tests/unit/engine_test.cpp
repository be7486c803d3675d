#include "service/engine.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "base/moment.hpp"
#include "service/refresher.hpp"
#include "service/waiver_clock.hpp"
#include "tests/unit/tree.hpp"

// The reader is a script that prints an inventory from a file: the rule about generations is what
// matters here, not what a probe reads.

using namespace lk;
using namespace std::chrono_literals;

namespace {

struct FakeHost {
  test::Tree tree;
  Engine engine;

  FakeHost() : engine(Config{}, script(tree), {.unit = 2s, .total = 5s}) { set(Inventory{}); }

  static std::string script(test::Tree& tree) {
    const auto path = tree.path() + "/reader.sh";
    tree.file("reader.sh", "#!/bin/sh\ncat >" + tree.path() + "/request\n[ -f " + tree.path() +
                               "/answer ] || exit 1\ncat " + tree.path() + "/answer\n");
    ::chmod(path.c_str(), 0755);
    return path;
  }

  void set(Inventory inventory) {
    inventory.boot_id = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";
    const auto json = inventory_json(inventory);
    tree.file("answer", "I " + std::to_string(json.size()) + "\n" + json);
  }
};

}  // namespace

TEST_CASE("engine: no snapshot before the first refresh") {
  FakeHost host;
  CHECK(host.engine.snapshot() == nullptr);
  CHECK(host.engine.audit("balanced").error().err == EAGAIN);
}

TEST_CASE("engine: the generation rises only when the content changes") {
  FakeHost host;
  Inventory inventory;
  inventory.collected_at = "2026-01-01T00:00:00Z";
  host.set(inventory);
  REQUIRE(host.engine.refresh());
  const auto first = host.engine.snapshot();
  CHECK(first->inventory.generation == 1);
  CHECK(first->etag.starts_with("W/\"0f1e2d3c-1-"));
  CHECK(first->json.find("\"generation\":1") != std::string::npos);

  inventory.collected_at = "2026-01-01T00:01:00Z";
  host.set(inventory);
  REQUIRE(host.engine.refresh());
  const auto second = host.engine.snapshot();
  CHECK(second->inventory.generation == 1);
  CHECK(second->inventory.collected_at == "2026-01-01T00:01:00Z");
  CHECK(second->etag == first->etag);

  inventory.cpu.online = CpuSet{0, 1};
  host.set(inventory);
  REQUIRE(host.engine.refresh());
  CHECK(host.engine.snapshot()->inventory.generation == 2);
  CHECK(host.engine.snapshot()->etag != first->etag);

  inventory.cpu.online = CpuSet{0};
  host.set(inventory);
  REQUIRE(host.engine.refresh());
  CHECK(host.engine.snapshot()->inventory.generation == 3);
  CHECK(first->inventory.generation == 1);  // who holds a snapshot keeps it
}

TEST_CASE("engine: a refresh that fails keeps the snapshot and is remembered") {
  FakeHost host;
  REQUIRE(host.engine.refresh());
  std::filesystem::remove(host.tree.path() + "/answer");
  CHECK_FALSE(host.engine.refresh());
  CHECK(host.engine.snapshot()->inventory.generation == 1);
  CHECK(host.engine.freshness().error.find("exited with 1") != std::string::npos);
  CHECK(host.engine.freshness().success == false);
  host.set(Inventory{});
  REQUIRE(host.engine.refresh());
  CHECK(host.engine.freshness().error.empty());
  CHECK(host.engine.freshness().success == true);
}

TEST_CASE("engine: how fresh the inventory is") {
  FakeHost host;
  CHECK(host.engine.freshness().success == std::nullopt);
  CHECK(host.engine.freshness().age == std::nullopt);
  CHECK_FALSE(host.engine.freshness().stale);
  REQUIRE(host.engine.refresh());
  CHECK(host.engine.freshness().age.value() < 60s);
  CHECK_FALSE(host.engine.freshness().stale);
  Config impatient;
  impatient.refresh_is_set = true;
  impatient.refresh_s = -2;  // three of these and the slack are over before they begin
  host.engine.reload(impatient);
  CHECK(host.engine.freshness().stale);
}

TEST_CASE("engine: a host that says nothing any more has not been read") {
  FakeHost host;
  REQUIRE(host.engine.refresh());  // one that never said anything may be shown, with its reasons
  Inventory inventory;
  inventory.host.kernel = "6.1";
  host.set(inventory);
  REQUIRE(host.engine.refresh());
  host.set(Inventory{});
  const auto status = host.engine.refresh();
  REQUIRE_FALSE(status);
  CHECK(status.error().message() == "nothing could be read any more of /");
  CHECK(host.engine.snapshot()->inventory.host.kernel == "6.1");
}

TEST_CASE("engine: a snapshot comes with the audit against the default profile") {
  FakeHost host;
  REQUIRE(host.engine.refresh());
  CHECK(host.engine.known_audit("balanced") == nullptr);
  CHECK(host.engine.default_audit() == nullptr);
  Inventory changed;
  changed.cpu.online = CpuSet{0};
  host.set(changed);
  REQUIRE(host.engine.refresh({.with_audit = true}));
  const auto known = host.engine.known_audit("balanced");
  REQUIRE(known != nullptr);
  CHECK(known->audit.generation == 2);
  CHECK(host.engine.default_audit() == known);
  CHECK((*host.engine.audit("balanced")).get() == known.get());
  CHECK(host.engine.known_audit("nvme-max") == nullptr);
  Config next;
  next.profile = "nvme-max";
  host.engine.reload(next);
  CHECK(host.engine.default_audit()->audit.profile == "nvme-max");
  CHECK(host.engine.known_audit("nvme-max") == host.engine.default_audit());
}

TEST_CASE("engine: audits are kept for a generation and a profile") {
  FakeHost host;
  REQUIRE(host.engine.refresh());
  const auto first = host.engine.audit("balanced");
  REQUIRE_MESSAGE(first.ok(), first.error().message());
  CHECK((*first)->audit.generation == 1);
  CHECK((*host.engine.audit("balanced")).get() == first->get());
  REQUIRE(host.engine.refresh());
  CHECK((*host.engine.audit("balanced")).get() == first->get());

  Inventory changed;
  changed.cpu.online = CpuSet{0};
  host.set(changed);
  REQUIRE(host.engine.refresh());
  const auto second = host.engine.audit("balanced");
  CHECK(second->get() != first->get());
  CHECK((*second)->audit.generation == 2);
  CHECK((*second)->etag != (*first)->etag);
  CHECK(host.engine.audit("no-such-profile").error().what.starts_with("unknown profile"));
}

TEST_CASE("engine: reload takes labels and overrides, and forgets audits") {
  FakeHost host;
  REQUIRE(host.engine.refresh());
  const auto first = host.engine.audit("balanced");
  Config next;
  next.labels = {{"rack", "7"}};
  next.node_overrides = {{"0000:3b:00.0", 1}};
  next.root = "/elsewhere";
  host.engine.reload(next);
  CHECK(host.engine.config().root == "/");
  CHECK((*host.engine.audit("balanced")).get() != first->get());
  REQUIRE(host.engine.refresh());
  std::ifstream in(host.tree.path() + "/request");
  const std::string request((std::istreambuf_iterator<char>(in)), {});
  CHECK(request.find("\"rack\":\"7\"") != std::string::npos);
  CHECK(request.find("\"0000:3b:00.0\":1") != std::string::npos);
}

TEST_CASE("refresher: reads at once, and again when asked") {
  FakeHost host;
  std::mutex mutex;
  std::condition_variable wake;
  int done = 0;
  const auto wait_for = [&](int count) {
    std::unique_lock lock(mutex);
    return wake.wait_for(lock, 10s, [&] { return done >= count; });
  };
  Refresher refresher(host.engine, [&](const Status& status) {
    CHECK(status.ok());
    const std::lock_guard lock(mutex);
    ++done;
    wake.notify_all();
  });
  CHECK(wait_for(1));
  refresher.request();
  CHECK(wait_for(2));
  CHECK(refresher.stop(5s));
}

namespace {

Inventory swapping_host() {
  Inventory host;
  host.kernel.sysctls["vm.swappiness"] = 100;  // more than `balanced` takes
  return host;
}

WaiverText accepted_until(const std::string& expires) {
  return {"mem.swappiness", "host", std::nullopt, "a reason", "storage", std::nullopt, expires};
}

std::vector<std::string> waiver_events(FakeHost& host) {
  std::vector<std::string> out;
  const auto events = host.engine.events().after(0, 1000).value();
  for (const auto& each : events) {
    if (each.type != "waiver") continue;
    const std::string key = "\"change\":\"";
    const auto at = each.data.find(key) + key.size();
    out.push_back(each.data.substr(at, each.data.find('"', at) - at));
  }
  return out;
}

}  // namespace

TEST_CASE("engine: a waiver that ends has audits made anew, and an event tells") {
  FakeHost host;
  host.set(swapping_host());
  REQUIRE(host.engine.refresh({.with_audit = true}));
  REQUIRE(host.engine.default_audit()->audit.summary.waived == 0);
  const auto fails = host.engine.default_audit()->audit.summary.fail;
  Config config;
  config.waivers.push_back(*make_waiver(accepted_until("2099-01-01T00:00:00Z")));
  config.waivers.back().id = "one";
  host.engine.reload(config);
  REQUIRE(host.engine.default_audit()->audit.summary.waived == 1);
  CHECK(host.engine.default_audit()->audit.summary.fail == fails);
  const auto old = *host.engine.audit("balanced");
  const auto end = config.waivers.back().expires_at;
  CHECK(host.engine.end_waivers(end - 1) == end);
  CHECK(host.engine.audit("balanced").value_or(nullptr) == old);
  CHECK(waiver_events(host) == std::vector<std::string>{"added"});

  CHECK(host.engine.end_waivers(end) == std::nullopt);
  CHECK(host.engine.known_audit("balanced") != old);
  CHECK(host.engine.default_audit()->audit.summary.waived == 0);
  CHECK((*host.engine.audit("balanced"))->audit.summary.waived == 0);
  CHECK((*host.engine.audit("balanced"))->etag != old->etag);
  CHECK(host.engine.waivers()->at(0).expired);
  CHECK(waiver_events(host) == std::vector<std::string>{"added", "expired"});
  CHECK(host.engine.end_waivers(end + 1) == std::nullopt);
  CHECK(waiver_events(host).size() == 2);
}

TEST_CASE("engine: waivers of the API need a place to be kept, and outlive the engine") {
  const auto waiver = *make_waiver(accepted_until("2099-01-01"));
  test::Tree tree;
  std::string id;
  {
    FakeHost host;
    host.set(swapping_host());
    REQUIRE(host.engine.refresh({.with_audit = true}));
    CHECK(host.engine.add_waiver(waiver).error().err == ENOENT);
    CHECK(host.engine.waivers()->empty());
    host.engine.use_history(*History::create(tree.path() + "/state"), [](const std::string&) {});
    const auto added = host.engine.add_waiver(waiver);
    REQUIRE(added);
    id = added->id;
    CHECK(id.starts_with("api-"));
    CHECK(host.engine.default_audit()->audit.findings.size() > 0);
    CHECK(host.engine.default_audit()->audit.summary.waived == 1);
  }
  FakeHost host;
  host.set(swapping_host());
  const auto history = *History::create(tree.path() + "/state");
  REQUIRE(host.engine.load_waivers(*history));
  host.engine.use_history(history, [](const std::string&) {});
  REQUIRE(host.engine.refresh({.with_audit = true}));
  CHECK(host.engine.default_audit()->audit.summary.waived == 1);
  host.engine.reload(Config{});  // the configuration's waivers only are replaced
  CHECK(host.engine.default_audit()->audit.summary.waived == 1);
  CHECK(host.engine.remove_waiver("api-none").error().err == ENOENT);
  REQUIRE(host.engine.remove_waiver(id));
  CHECK(host.engine.default_audit()->audit.summary.waived == 0);
  CHECK(history->waivers("/").value_or({waiver}).empty());
  CHECK(waiver_events(host) == std::vector<std::string>{"removed"});

  Config config;
  config.waivers.push_back(waiver);
  config.waivers.back().id = "mine";
  host.engine.reload(config);
  CHECK(host.engine.remove_waiver("mine").error().err == EPERM);
}

TEST_CASE("engine: a clock of its own ends waivers in time") {
  FakeHost host;
  host.set(swapping_host());
  REQUIRE(host.engine.refresh({.with_audit = true}));
  host.engine.use_history(*History::create(host.tree.path() + "/state"), [](const std::string&) {});
  WaiverClock clock(host.engine);
  REQUIRE(host.engine.add_waiver(*make_waiver(accepted_until(moment_text(now_seconds() + 2)))));
  CHECK(host.engine.default_audit()->audit.summary.waived == 1);
  for (int i = 0; i < 500 && waiver_events(host).size() < 2; ++i) std::this_thread::sleep_for(10ms);
  CHECK(waiver_events(host) == std::vector<std::string>{"added", "expired"});
  CHECK(host.engine.default_audit()->audit.summary.waived == 0);
}
