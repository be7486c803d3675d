#include <doctest/doctest.h>

#include <sys/stat.h>

#include "api/dispatch.hpp"
#include "tests/unit/tree.hpp"

using namespace lk;

namespace {

Response ask(Dispatcher& dispatcher, std::string target) {
  Request request;
  request.method = Method::get;
  request.target = std::move(target);
  request.peer.local = true;
  auto admission = dispatcher.admit(request);
  if (admission.refusal) return *admission.refusal;
  auto response = dispatcher.handle(request);
  return response.later ? response.later(request) : response;
}

struct Served {
  test::Tree tree;
  Engine engine{Config{}, script(tree)};
  Api api{engine};
  Dispatcher dispatcher{routes(), api, {}, [](const std::string&) {}};

  static std::string script(test::Tree& tree) {
    Inventory inventory;
    inventory.host.kernel = "6.1";
    inventory.collected_at = "2026-01-01T00:00:00Z";
    const auto json = inventory_json(inventory);
    tree.file("answer", "I " + std::to_string(json.size()) + "\n" + json);
    tree.file("reader", "#!/bin/sh\ncat >/dev/null; cat " + tree.path() + "/answer\n");
    ::chmod((tree.path() + "/reader").c_str(), 0755);
    return tree.path() + "/reader";
  }
  bool is_later(const std::string& target) {
    Request request;
    request.method = Method::get;
    request.target = target;
    request.peer.local = true;
    REQUIRE_FALSE(dispatcher.admit(request).refusal);
    return bool(dispatcher.handle(request).later);
  }
};

}  // namespace

TEST_CASE("before the first inventory") {
  Engine engine(Config{}, "/bin/false");
  Api api(engine);
  Dispatcher dispatcher(routes(), api, {}, [](const std::string&) {});
  for (const auto& each : routes()) {
    if (each.pattern.find('{') != std::string_view::npos || each.method != Method::get) continue;
    CAPTURE(each.pattern);
    const auto response = ask(dispatcher, std::string(each.pattern));
    const bool waits = each.pattern.starts_with("/v1/inventory") || each.pattern == "/v1/audit" ||
                       each.pattern == "/readyz";
    CHECK(response.status == (waits ? 503 : 200));
    if (waits) CHECK(response.body->find("\"not_ready\"") != std::string::npos);
  }
  CHECK(ask(dispatcher, "/v1/inventory/nvme/nvme0").status == 503);
  CHECK(ask(dispatcher, "/v1/audit?profile=nothing").status == 503);
  const auto metrics = ask(dispatcher, "/metrics");
  CHECK(metrics.body->find("lanekeeper_build_info") != std::string::npos);
  CHECK(metrics.body->find("lanekeeper_inventory_generation") == std::string::npos);
}

TEST_CASE("what must be computed or read is not computed on the event loop, and only once") {
  Served host;
  REQUIRE(host.engine.refresh({.with_audit = true}));
  CHECK_FALSE(host.is_later("/v1/audit"));
  CHECK_FALSE(host.is_later("/metrics"));
  CHECK_FALSE(host.is_later("/v1/inventory"));
  for (const std::string target : {"/v1/audit?profile=nvme-max", "/v1/inventory/cpu",
                                   "/v1/profiles", "/v1/profiles/balanced"}) {
    CAPTURE(target);
    CHECK(host.is_later(target));
    CHECK(ask(host.dispatcher, target).status == 200);
    CHECK_FALSE(host.is_later(target));
  }
  CHECK(ask(host.dispatcher, "/v1/audit?profile=nothing").status == 404);
  CHECK(ask(host.dispatcher, "/v1/profiles/nothing").status == 404);
}

TEST_CASE("an inventory that cannot be refreshed stays, and says so") {
  Served host;
  REQUIRE(host.engine.refresh({.with_audit = true}));
  auto ready = ask(host.dispatcher, "/readyz");
  CHECK(ready.status == 200);
  CHECK(ready.body->find("\"collected_at\":\"2026-01-01T00:00:00Z\"") != std::string::npos);
  host.tree.file("answer", "E 8\nno tree!");
  CHECK_FALSE(host.engine.refresh({.with_audit = true}));
  CHECK(ask(host.dispatcher, "/readyz").status == 200);
  const auto metrics = ask(host.dispatcher, "/metrics");
  CHECK(metrics.body->find("\nlanekeeper_inventory_refresh_success 0\n") != std::string::npos);
  CHECK(metrics.body->find("\nlanekeeper_inventory_collected_timestamp_seconds 1767225600\n") !=
        std::string::npos);
  Config impatient;
  impatient.refresh_is_set = true;
  impatient.refresh_s = -2;  // three of these and the slack are over before they begin
  host.engine.reload(impatient);
  ready = ask(host.dispatcher, "/readyz");
  CHECK(ready.status == 503);
  CHECK(ready.body->find("\"inventory_stale\"") != std::string::npos);
  CHECK(ready.body->find("no tree!") != std::string::npos);
  CHECK(ask(host.dispatcher, "/livez").status == 200);
  CHECK(ask(host.dispatcher, "/v1/inventory").status == 200);
  CHECK(ask(host.dispatcher, "/v1/audit").status == 200);
}
