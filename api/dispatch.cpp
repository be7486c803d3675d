#include "api/dispatch.hpp"

#include <algorithm>
#include <array>
#include <random>

#include "api/answers.hpp"
#include "api/http_guard.hpp"
#include "api/negotiate.hpp"
#include "base/text.hpp"

namespace lk {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kSecurityHeaders{{
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
     "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
}};

bool only_reads(Method method) {
  return method == Method::get || method == Method::head || method == Method::options;
}

// What every response gets, whoever made it.
Response dressed(Response response) {
  response.headers.push_back({"Cache-Control", response.etag.empty() ? "no-store" : "no-cache"});
  for (const auto& [name, value] : kSecurityHeaders) {
    response.headers.push_back({std::string(name), std::string(value)});
  }
  return response;
}

// Only what has a tag: it is sent again and again as it is.
bool can_be_gzip(const Response& response) {
  return response.status == 200 && response.body && !response.etag.empty() &&
         response.body->size() >= GzipCache::kLeast;
}

bool wants_gzip(const Request& request, const Response& response) {
  const auto* encoding = request.header("accept-encoding");
  return can_be_gzip(response) && encoding != nullptr && accepts_gzip(*encoding);
}

std::string allow_header(const std::vector<const Route*>& fitting) {
  std::string out;
  for (const auto* each : fitting) {
    if (!out.empty()) out += ", ";
    out += method_name(each->method);
    if (each->method == Method::get) out += ", HEAD";
  }
  return out;
}

std::optional<std::string> wrong_value(const Parameter& parameter, const std::string& value) {
  if (parameter.values.empty()) return std::nullopt;
  const auto words = parameter.list ? split(value, ',') : std::vector<std::string_view>{value};
  for (const auto word : words) {
    const auto& known = parameter.values;
    if (std::find(known.begin(), known.end(), word) == known.end()) {
      return "\"" + std::string(word) + "\" is no value of it" + near_hint(word, known);
    }
  }
  return std::nullopt;
}

}  // namespace

Dispatcher::Dispatcher(std::span<const Route> routes, Api& api, DispatchOptions options,
                       std::function<void(const std::string&)> log)
    : routes_(routes),
      api_(api),
      options_(std::move(options)),
      operators_(operators_here()),
      log_(std::move(log)),
      limits_(options_.rates),
      access_log_(log_) {
  // Tells the requests of one run of the program from those of the next.
  id_prefix_ = content_etag(std::to_string(std::random_device()())).substr(1, 8) + "-";
}

Admission Dispatcher::admit(Request& request) {
  using Step = std::optional<Response> (Dispatcher::*)(Request&) const;
  constexpr std::array<Step, 8> kSteps{&Dispatcher::check_host,   &Dispatcher::check_origin,
                                       &Dispatcher::split_target, &Dispatcher::find_route,
                                       &Dispatcher::check_access, &Dispatcher::check_query,
                                       &Dispatcher::check_accept, &Dispatcher::check_content};
  request.id = next_id();
  Admission admission;
  if (auto refusal = check_limits(request)) {
    admission.refusal = dressed(*std::move(refusal));
    return admission;
  }
  for (const auto step : kSteps) {
    if (auto refusal = (this->*step)(request)) {
      admission.refusal = dressed(*std::move(refusal));
      return admission;
    }
  }
  admission.body_limit = request.route->body_limit;
  return admission;
}

Response Dispatcher::handle(const Request& request) {
  auto response = request.route->handler(request, api_);
  if (response.later) {
    if (!limits_.may_work(request.peer, std::chrono::steady_clock::now())) {
      return dressed(problem(request, "rate_limited",
                             "this client asks for more answers that have to be made than it may"));
    }
    response.later = [this, later = std::move(response.later)](const Request& same) {
      auto made = finish(same, later(same));
      return wants_gzip(same, made) ? compressed(std::move(made)) : made;
    };
    return response;
  }
  response = finish(request, std::move(response));
  if (!wants_gzip(request, response)) return response;
  if (gzip_.find(response.body)) return compressed(std::move(response));
  Response made;
  made.later = [this, response = std::move(response)](const Request&) {
    return compressed(response);
  };
  return made;
}

Response Dispatcher::compressed(Response response) {
  response.body = gzip_.make(response.body);
  response.headers.push_back({"Content-Encoding", "gzip"});
  // Other octets under a strong tag would be a lie (RFC 9110 8.8.3.3).
  if (!response.etag.starts_with("W/")) response.etag.insert(0, "W/");
  return response;
}

Response Dispatcher::finish(const Request& request, Response response) {
  const auto* known = request.header("if-none-match");
  if (response.status == 200 && !response.etag.empty() && known != nullptr &&
      etag_matches(*known, response.etag)) {
    response.status = 304;
    response.body.reset();
  }
  if (can_be_gzip(response)) response.headers.push_back({"Vary", "Accept-Encoding"});
  return dressed(std::move(response));
}

Response Dispatcher::refuse(const Refusal& refusal, const Request* request) {
  if (request != nullptr && !request->id.empty()) {
    return dressed(problem(*request, refusal.code, refusal.detail));
  }
  Request unnamed;
  unnamed.id = next_id();
  return dressed(problem(unnamed, refusal.code, refusal.detail));
}

void Dispatcher::finished(const Exchanged& exchanged) {
  const auto* request = exchanged.request;
  const bool routed = request != nullptr && request->route != nullptr;
  api_.metrics.record(routed ? request->route->pattern : "none",
                      request == nullptr ? "none" : method_name(request->method), exchanged.status,
                      exchanged.seconds);
  if (options_.access_log) access_log_.add(exchanged, std::chrono::steady_clock::now());
}

std::optional<Response> Dispatcher::check_limits(const Request& request) {
  if (request.peer.over_limit) {
    auto response = problem(request, "too_many_connections",
                            "this client has as many connections as it may have, all busy");
    response.close = true;
    return response;
  }
  if (limits_.may_ask(request.peer, std::chrono::steady_clock::now())) return std::nullopt;
  return problem(request, "rate_limited", "this client sends more requests a second than it may");
}

// A page in a browser reaches a local server under a foreign name (DNS rebinding). Nobody can make
// a browser speak to a Unix socket.
std::optional<Response> Dispatcher::check_host(Request& request) const {
  const auto* host = request.header("host");
  if (request.peer.local || host == nullptr) return std::nullopt;
  if (host_allowed(*host, request.peer.port, options_.allowed_hosts)) return std::nullopt;
  return problem(request, "host_unknown", "this server is not known as \"" + *host + "\"");
}

// Pages of other origins can send requests that they cannot read the answers of.
std::optional<Response> Dispatcher::check_origin(Request& request) const {
  if (only_reads(request.method)) return std::nullopt;
  const auto* site = request.header("sec-fetch-site");
  const auto* origin = request.header("origin");
  const auto* host = request.header("host");
  const bool foreign_site = site != nullptr && *site != "same-origin" && *site != "none";
  const bool foreign_origin =
      origin != nullptr && (host == nullptr || lower(*origin) != "http://" + lower(*host));
  if (!foreign_site && !foreign_origin) return std::nullopt;
  return problem(request, "origin_denied", "the request comes from a page of another origin");
}

std::optional<Response> Dispatcher::split_target(Request& request) const {
  const auto mark = request.target.find('?');
  request.path = request.target.substr(0, mark);
  if (!percent_decode(request.path)) {
    return problem(request, "bad_request", "the path's percent-encoding is broken");
  }
  if (mark == std::string::npos) return std::nullopt;
  auto query = parse_query(std::string_view(request.target).substr(mark + 1));
  if (!query) return problem(request, "bad_request", "the query's percent-encoding is broken");
  request.query = *std::move(query);
  return std::nullopt;
}

std::optional<Response> Dispatcher::find_route(Request& request) const {
  std::vector<const Route*> fitting;
  const auto method = request.method == Method::head ? Method::get : request.method;
  for (const auto& each : routes_) {
    if (!match_pattern(each.pattern, request.path, request.arguments)) continue;
    // A pattern without parameters stands before one with them in the table and wins.
    if (!fitting.empty() && each.pattern != fitting[0]->pattern) break;
    fitting.push_back(&each);
    request.route = &each;
    if (each.method == method) return std::nullopt;
  }
  if (fitting.empty() && request.path != "*") {
    std::vector<std::string> known;
    for (const auto& each : routes_) known.emplace_back(each.pattern);
    return problem(request, "not_found",
                   "there is no " + request.path + route_hint(request.path, known));
  }
  auto response = problem(request, "method_not_allowed",
                          std::string(method_name(request.method)) + " is not for " + request.path);
  response.headers.push_back({"Allow", fitting.empty() ? "GET, HEAD" : allow_header(fitting)});
  return response;
}

std::optional<Response> Dispatcher::check_access(Request& request) const {
  if (granted_to(request.peer, operators_) >= request.route->access) return std::nullopt;
  return problem(request, "access_denied",
                 "only root, the daemon's own user and the group lanekeeper may do this, over the "
                 "Unix socket");
}

std::optional<Response> Dispatcher::check_query(Request& request) const {
  std::vector<std::string> known;
  for (const auto& each : request.route->parameters) {
    if (!each.in_path) known.emplace_back(each.name);
  }
  std::vector<ProblemItem> unknown;
  std::vector<ProblemItem> invalid;
  for (const auto& [name, value] : request.query) {
    const auto same_name = [&name = name](const auto& each) { return each.first == name; };
    const auto parameter = std::find_if(
        request.route->parameters.begin(), request.route->parameters.end(),
        [&name = name](const Parameter& each) { return each.name == name && !each.in_path; });
    if (parameter == request.route->parameters.end()) {
      unknown.push_back(
          {std::nullopt, name, "there is no such parameter" + near_hint(name, known)});
    } else if (std::count_if(request.query.begin(), request.query.end(), same_name) > 1) {
      invalid.push_back({std::nullopt, name, "it is given more than once"});
    } else if (const auto wrong = wrong_value(*parameter, value)) {
      invalid.push_back({std::nullopt, name, *wrong});
    }
  }
  const auto text = [](const ProblemItem& item) {
    return "query parameter \"" + *item.parameter + "\": " + item.detail;
  };
  if (!unknown.empty()) return problem(request, "parameter_unknown", text(unknown[0]), unknown);
  if (!invalid.empty()) return problem(request, "parameter_invalid", text(invalid[0]), invalid);
  return std::nullopt;
}

std::optional<Response> Dispatcher::check_accept(Request& request) const {
  const auto* accept = request.header("accept");
  const auto type = request.route->body.content_type;
  if (accept == nullptr || type.empty() || accepts(*accept, type)) return std::nullopt;
  return problem(request, "not_acceptable",
                 "this resource exists as " + std::string(type) + " only");
}

std::optional<Response> Dispatcher::check_content(Request& request) const {
  const auto wanted = request.route->consumes;
  if (wanted.empty() || !body_framing(request).any()) return std::nullopt;
  const auto* given = request.header("content-type");
  const auto type = given == nullptr ? "" : lower(trim(given->substr(0, given->find(';'))));
  if (type == wanted) return std::nullopt;
  return problem(request, "content_type_unsupported",
                 "the body must be " + std::string(wanted) + ", as Content-Type says");
}

std::string Dispatcher::next_id() {
  return id_prefix_ + std::to_string(++requests_);
}

}  // namespace lk
