#include <doctest/doctest.h>

#include "api/dispatch.hpp"

using namespace lk;

namespace {

Response ask(Dispatcher& dispatcher, std::string target) {
  Request request;
  request.method = Method::get;
  request.target = std::move(target);
  request.peer.local = true;
  auto admission = dispatcher.admit(request);
  return admission.refusal ? *admission.refusal : dispatcher.handle(request);
}

}  // namespace

TEST_CASE("before the first inventory") {
  Engine engine(Config{}, "/bin/false");
  Api api(engine);
  Dispatcher dispatcher(routes(), api, {}, [](const std::string&) {});
  for (const auto& each : routes()) {
    if (each.pattern.find('{') != std::string_view::npos) continue;
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
