#include "api/answers.hpp"
#include "api/handlers.hpp"
#include "api/negotiate.hpp"
#include "api/views.hpp"
#include "base/json_write.hpp"

namespace lk {

// That this runs at all is the answer: the loop turns.
Response get_live(const Request&, Api&) {
  return text_response(200, "text/plain", "live\n");
}

Response get_ready(const Request& request, Api& api) {
  const auto snapshot = api.engine.snapshot();
  if (!snapshot) return not_ready(request, api);
  const auto& inventory = snapshot->inventory;
  if (!says_anything(inventory)) {
    return problem(request, "not_ready",
                   "nothing could be read of this host; see "
                   "/v1/inventory/probes");
  }
  const auto fresh = api.engine.freshness();
  if (fresh.stale) {
    const auto seconds = fresh.age.value_or(std::chrono::milliseconds(0)).count() / 1000;
    return problem(request, "inventory_stale",
                   "the last inventory is of " + inventory.collected_at + ", " +
                       std::to_string(seconds) + " s ago; " +
                       (fresh.error.empty() ? "reading the host does not end" : fresh.error));
  }
  return text_response(200, "application/json",
                       to_json(ReadyView{"ready", inventory.generation, inventory.collected_at}));
}

Response get_version(const Request&, Api&) {
  auto text = to_json(VersionView{"lanekeeper", LK_VERSION, "v1", __VERSION__});
  auto etag = content_etag(text);
  return json_response(std::move(text), std::move(etag));
}

Response get_metrics(const Request&, Api& api) {
  return text_response(200, std::string(kMetricsType), metrics_text(api));
}

}  // namespace lk
