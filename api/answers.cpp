#include "api/answers.hpp"

#include <set>

#include "base/text.hpp"

namespace lk {

Response json_response(Text body, std::string etag) {
  Response response;
  response.content_type = "application/json";
  response.body = std::move(body);
  response.etag = std::move(etag);
  return response;
}

Response json_response(std::string body, std::string etag) {
  return json_response(std::make_shared<const std::string>(std::move(body)), std::move(etag));
}

Response later(std::function<Response(const Request&)> make) {
  Response response;
  response.later = std::move(make);
  return response;
}

Response not_ready(const Request& request, const Api& api) {
  const auto error = api.engine.freshness().error;
  return problem(request, "not_ready",
                 error.empty() ? "the first inventory is still being read"
                               : "no inventory could be read: " + error);
}

namespace {

// The next steps of the patterns that go on after `prefix`: "inventory", "{id}".
std::set<std::string> steps_below(const std::string& prefix,
                                  const std::vector<std::string>& patterns) {
  std::set<std::string> next;
  for (const auto& each : patterns) {
    if (!each.starts_with(prefix + "/")) continue;
    const auto step = each.substr(prefix.size() + 1);
    if (!step.empty()) next.insert(step.substr(0, step.find('/')));
  }
  return next;
}

}  // namespace

std::string route_hint(std::string_view path, const std::vector<std::string>& patterns) {
  std::string prefix;  // the start of the path that patterns share
  auto below = steps_below(prefix, patterns);
  for (const auto step : split(path.substr(1), '/')) {  // a path begins with a slash
    const auto deeper = prefix + "/" + std::string(step);
    auto next = steps_below(deeper, patterns);
    if (!below.contains(std::string(step)) || next.empty()) {
      const auto near = nearest(step, {below.begin(), below.end()});
      if (near.empty() || near == step || near[0] == '{') break;
      return "; is \"" + prefix + "/" + near + "\" meant?";
    }
    prefix = deeper;
    below = std::move(next);
  }
  std::string list;
  for (const auto& each : below) list += (list.empty() ? "" : ", ") + each;
  return "; below " + (prefix.empty() ? "/" : prefix) + (below.size() == 1 ? " is " : " are ") +
         list;
}

Response body_problem(const Request& request, const std::string& pointer, std::string detail) {
  return problem(request, "body_invalid", pointer.empty() ? detail : pointer + ": " + detail,
                 {{pointer, std::nullopt, detail}});
}

Response body_problem(const Request& request, const Error& error) {
  if (error.path.empty()) return problem(request, "body_malformed", error.what);
  // "a string is wanted at" "/reason"
  std::string what = error.what;
  if (what.ends_with(" at")) what.resize(what.size() - 3);
  return body_problem(request, error.path == "/" ? "" : error.path, what);
}

std::string near_hint(std::string_view word, const std::vector<std::string>& known) {
  const auto near = nearest(word, known);
  return near.empty() ? "" : "; is \"" + near + "\" meant?";
}

}  // namespace lk
