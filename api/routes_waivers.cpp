#include <algorithm>
#include <cerrno>

#include "api/answers.hpp"
#include "api/handlers.hpp"
#include "api/negotiate.hpp"
#include "base/json_read.hpp"
#include "base/json_write.hpp"
#include "base/moment.hpp"

namespace lk {

namespace {

std::string list_text(const Engine& engine) {
  return to_json(*engine.waivers());
}

// A change that was not kept: a client must learn that nothing happened, and why.
Response store_problem(const Request& request, const Error& error) {
  const bool full = error.err == ENOSPC || error.err == EDQUOT;
  return problem(request, full ? "storage_full" : "storage_unavailable", error.message());
}

// A misspelt check would be waived for ever without any effect.
std::optional<Response> unknown_check(const Request& request, const Api& api,
                                      const std::string& check) {
  const auto store = api.engine.profiles();
  std::vector<std::string> known;
  for (const auto* knob : knobs()) known.emplace_back(knob->id);
  for (const auto& entry : store.list()) {
    const auto profile = entry.valid ? store.load(entry.name) : Result<Profile>(Error{});
    if (!profile) continue;
    for (const auto& each : profile->checks) known.push_back(each.id);
  }
  if (std::find(known.begin(), known.end(), check) != known.end()) return std::nullopt;
  return body_problem(request, "/check",
                      "no profile has a check \"" + check + "\"" + near_hint(check, known));
}

Response made(const Request& request, Api& api) {
  const auto text = from_json<WaiverText>(request.body);
  if (!text) return body_problem(request, text.error());
  auto waiver = make_waiver(*text);
  if (!waiver) return body_problem(request, "/" + waiver.error().path, waiver.error().what);
  if (waiver->expires_at <= now_seconds()) {
    return body_problem(request, "/expires", "that is over already: " + waiver->expires);
  }
  if (auto refusal = unknown_check(request, api, waiver->check)) return *std::move(refusal);
  waiver->origin = "user " + std::to_string(request.peer.uid.value_or(0));
  const auto kept = api.engine.add_waiver(*std::move(waiver));
  if (!kept) return store_problem(request, kept.error());
  auto response = text_response(201, "application/json", to_json(*kept));
  response.headers.push_back({"Location", "/v1/waivers/" + kept->id});
  return response;
}

Response removed(const Request& request, Api& api) {
  const auto& id = request.arguments.find("id")->second;
  // Compared weakly: compression makes the list's tag weak, and changes nothing in what it says.
  const auto* known = request.header("if-match");
  if (known != nullptr && !etag_matches(*known, content_etag(list_text(api.engine)))) {
    return problem(request, "precondition_failed", "the list of waivers is not what it was");
  }
  const auto status = api.engine.remove_waiver(id);
  if (status) {
    Response response;
    response.status = 204;
    return response;
  }
  const auto& error = status.error();
  if (error.err == ENOENT) return problem(request, "waiver_unknown", error.what);
  if (error.err == EPERM && error.path.empty()) {
    return problem(request, "waiver_of_config", error.what);
  }
  return store_problem(request, error);
}

}  // namespace

Response list_waivers(const Request&, Api& api) {
  auto text = list_text(api.engine);
  auto etag = content_etag(text);
  return json_response(std::move(text), std::move(etag));
}

Response add_waiver(const Request&, Api& api) {
  return later([&api](const Request& same) { return made(same, api); });
}

Response delete_waiver(const Request&, Api& api) {
  return later([&api](const Request& same) { return removed(same, api); });
}

}  // namespace lk
