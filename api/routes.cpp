#include <cctype>
#include <deque>

#include "api/handlers.hpp"
#include "api/metrics.hpp"
#include "api/route.hpp"
#include "api/views.hpp"
#include "base/json_write.hpp"
#include "base/yaml.hpp"
#include "service/engine.hpp"
#include "service/inventory_part.hpp"

namespace lk {

namespace {

constexpr auto kRead = Access::reader;
constexpr auto kAnyone = Access::anyone;

template <NamedEnum E>
std::vector<std::string> words_of() {
  std::vector<std::string> out;
  for (const auto& each : names(E{})) out.emplace_back(each.second);
  return out;
}

Parameter in_path(std::string_view name, std::string_view doc) {
  return {name, doc, true, false, {}};
}

Route get(Access access, std::string_view pattern, Response (*handler)(const Request&, Api&),
          std::string_view operation_id, std::string_view summary, Body body,
          std::vector<Parameter> parameters = {}, std::vector<int> problems = {}) {
  Route route{Method::get, pattern, access, handler, operation_id, summary, body, {}, {}, 0, ""};
  route.parameters = std::move(parameters);
  route.problems = std::move(problems);
  return route;
}

// Takes no body.
Route post(Access access, std::string_view pattern, Response (*handler)(const Request&, Api&),
           std::string_view operation_id, std::string_view summary, Body body) {
  auto route = get(access, pattern, handler, operation_id, summary, body);
  route.method = Method::post;
  route.success = 202;
  return route;
}

// Text that lives as long as the program, for routes that are made.
std::string_view kept(std::string text) {
  static std::deque<std::string> texts;
  return texts.emplace_back(std::move(text));
}

std::string with_capital(std::string_view word) {
  std::string out(word);
  out[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[0])));
  return out;
}

std::vector<Route> part_routes() {
  std::vector<Route> out;
  for_each_part([&](const auto& each) {
    using Part = std::remove_cvref_t<decltype(std::declval<Inventory&>().*each.member)>;
    out.push_back(get(kRead, kept("/v1/inventory/" + std::string(each.name)), get_part,
                      kept("get" + with_capital(each.name)), kept(with_capital(each.doc)),
                      json_body<Part>(true), {}, {503}));
  });
  return out;
}

constexpr std::size_t kMostProfile = kMostYamlBytes;
constexpr std::size_t kMostAuditBody = std::size_t{256} << 10U;
constexpr std::size_t kMostWaiverBody = std::size_t{16} << 10U;

Route with_body(Route route, std::size_t limit, std::string_view consumes,
                std::string (*takes)(Schemas&) = nullptr) {
  route.body_limit = limit;
  route.consumes = consumes;
  route.takes = takes;
  route.success = 200;
  for (const int status : {413, 415}) route.problems.push_back(status);
  return route;
}

Body text_body(std::string_view content_type, bool etag) {
  return {content_type, nullptr, etag};
}

std::vector<Parameter> audit_parameters() {
  return {
      {"profile", "the profile's name; default: the configured one", false, false, {}},
      {"verdict", "only findings with one of these verdicts; the summary counts all", false, true,
       words_of<Verdict>()},
      {"severity", "only findings with one of these severities; the summary counts all", false,
       true, words_of<Severity>()},
      {"only", "only findings of these checks; the summary counts all", false, true, {}},
  };
}

std::vector<Route> inventory_routes() {
  return {
      get(kRead, "/v1/inventory", get_inventory, "getInventory", "Everything about the host",
          json_body<Inventory>(true), {}, {503}),
      get(kRead, "/v1/inventory/diff", get_diff, "getDiff",
          "What changed since the previous boot, or against a golden inventory",
          json_body<InventoryDiff>(true),
          {{"from", "what to compare with; default: previous_boot", false, false,
            words_of<Baseline>()}},
          {404, 409, 503}),
      post(kRead, "/v1/inventory/refresh", refresh_inventory, "refreshInventory",
           "Have the host read again soon; several requests before it begins are one",
           json_body<RefreshView>(false)),
      get(kRead, "/v1/inventory/nvme/{drive}", get_drive, "getDrive", "One drive",
          json_body<DriveView>(true),
          {in_path("drive", "name, serial, PCI address, slot, wwid or id")}, {404, 409, 503}),
  };
}

Route posted_profile() {
  return with_body(post(kRead, "/v1/profiles/validate", validate_profile, "validateProfile",
                        "Whether a profile could be used, and what is wrong with it",
                        json_body<ValidationView>(false)),
                   kMostProfile, "application/yaml");
}

Route posted_audit() {
  auto route = with_body(post(kRead, "/v1/audit", post_audit, "postAudit",
                              "The host against a profile that is sent with the request, or named",
                              json_body<Audit>(false)),
                         kMostAuditBody, "application/json", request_schema<AuditRequest>);
  for (const int status : {404, 409, 422, 503}) route.problems.push_back(status);
  return route;
}

std::vector<Route> audit_routes() {
  return {
      get(kAnyone, "/v1/knobs", list_knobs, "listKnobs", "Everything that is observed",
          json_body<std::vector<KnobView>>(true)),
      get(kAnyone, "/v1/knobs/{id}", get_knob, "getKnob", "One knob and its documentation",
          json_body<KnobView>(true), {in_path("id", "as cpu.governor")}, {404}),
      get(kRead, "/v1/profiles", list_profiles, "listProfiles", "Profiles, broken ones too",
          json_body<std::vector<ProfileEntryView>>(true)),
      posted_profile(),
      get(kRead, "/v1/profiles/{name}", get_profile, "getProfile",
          "One profile, what it extends worked in", json_body<ProfileView>(true),
          {in_path("name", "as balanced")}, {404, 409}),
      get(kRead, "/v1/audit", get_audit, "getAudit", "The host against a profile",
          json_body<Audit>(true), audit_parameters(), {404, 409, 503}),
      posted_audit(),
  };
}

std::vector<Route> waiver_routes() {
  auto make = with_body(post(Access::operator_, "/v1/waivers", add_waiver, "addWaiver",
                             "Accept a fault for a reason, until a time", json_body<Waiver>(false)),
                        kMostWaiverBody, "application/json", request_schema<WaiverText>);
  make.success = 201;
  for (const int status : {403, 422, 503, 507}) make.problems.push_back(status);
  auto remove = get(Access::operator_, "/v1/waivers/{id}", delete_waiver, "deleteWaiver",
                    "Accept it no longer; If-Match takes the list's ETag", Body{},
                    {in_path("id", "of a waiver that was made over the API")},
                    {403, 404, 409, 412, 503, 507});
  remove.method = Method::delete_;
  remove.success = 204;
  return {get(kRead, "/v1/waivers", list_waivers, "listWaivers",
              "All waivers, of the configuration and of the API, expired ones too",
              json_body<std::vector<Waiver>>(true)),
          make, remove};
}

std::vector<Route> service_routes() {
  const Body openapi{"application/json",
                     [](Schemas&) { return std::string(R"({"type":"object"})"); }, true};
  return {
      get(kAnyone, "/v1/version", get_version, "getVersion", "The running program",
          json_body<VersionView>(true)),
      get(kAnyone, "/livez", get_live, "getLive", "200 while the server answers at all",
          text_body("text/plain", false)),
      get(kAnyone, "/readyz", get_ready, "getReady", "200 once there is an inventory",
          json_body<ReadyView>(false), {}, {503}),
      get(kRead, "/v1/events", get_events, "getEvents",
          "What changes, as it changes (Server-Sent Events); Last-Event-ID resumes",
          text_body("text/event-stream", false), {}, {503}),
      get(kRead, "/metrics", get_metrics, "getMetrics", "Prometheus text format 0.0.4",
          text_body(kMetricsType, false)),
      get(kAnyone, "/openapi.json", get_openapi_json, "getOpenapiJson", "This API's description",
          openapi),
      get(kAnyone, "/openapi.yaml", get_openapi_yaml, "getOpenapiYaml", "This API's description",
          text_body("application/yaml", true)),
      get(kAnyone, "/problems/{code}", get_problem_page, "getProblem",
          "What a problem's code means", text_body("text/plain; charset=utf-8", false),
          {in_path("code", "as profile_unknown")}, {404}),
  };
}

// A pattern without parameters stands before one with them that it would fit too.
std::vector<Route> table() {
  std::vector<Route> all{get(kAnyone, "/", get_index, "getIndex", "This list, for people",
                             text_body("text/html; charset=utf-8", true))};
  for (const auto& group :
       {inventory_routes(), part_routes(), audit_routes(), waiver_routes(), service_routes()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

}  // namespace

std::span<const Route> routes() {
  static const auto all = table();
  return all;
}

}  // namespace lk
