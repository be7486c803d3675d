#include <algorithm>
#include <set>

#include "api/answers.hpp"
#include "api/handlers.hpp"
#include "api/profile_problem.hpp"
#include "api/views.hpp"
#include "base/json_read.hpp"
#include "base/text.hpp"

namespace lk {

namespace {

// The words of a parameter; empty if it is not given: everything fits then.
std::set<std::string, std::less<>> wanted(const Request& request, std::string_view parameter) {
  std::set<std::string, std::less<>> out;
  if (const auto* text = request.parameter(parameter)) {
    for (const auto word : split(*text, ',')) out.emplace(word);
  }
  return out;
}

std::optional<Response> unknown_check(const Request& request, const Audit& audit) {
  std::vector<std::string> known;
  for (const auto& each : audit.findings) known.push_back(each.check);
  std::vector<ProblemItem> items;
  for (const auto& word : wanted(request, "only")) {
    if (std::find(known.begin(), known.end(), word) != known.end()) continue;
    items.push_back({std::nullopt, "only",
                     "profile \"" + audit.profile + "\" has no check \"" + word + "\"" +
                         near_hint(word, known)});
  }
  if (items.empty()) return std::nullopt;
  return problem(request, "parameter_invalid", items[0].detail, items);
}

Audit filtered(const Request& request, const Audit& audit) {
  const auto verdicts = wanted(request, "verdict");
  const auto severities = wanted(request, "severity");
  const auto checks = wanted(request, "only");
  const auto fits = [](const auto& set, std::string_view word) {
    return set.empty() || set.contains(word);
  };
  Audit out = audit;
  std::erase_if(out.findings, [&](const Finding& each) {
    return !fits(verdicts, name_of(each.verdict)) || !fits(severities, name_of(each.severity)) ||
           !fits(checks, each.check);
  });
  return out;
}

}  // namespace

namespace {

bool is_whole(const Request& request) {
  return request.parameter("verdict") == nullptr && request.parameter("severity") == nullptr &&
         request.parameter("only") == nullptr;
}

Response audit_response(const Request& request, const std::shared_ptr<const AuditAnswer>& answer) {
  if (is_whole(request)) return json_response(Text(answer, &answer->json), answer->etag);
  if (auto refusal = unknown_check(request, answer->audit)) return *std::move(refusal);
  return json_response(audit_json(filtered(request, answer->audit)), answer->etag);
}

}  // namespace

Response get_audit(const Request& request, Api& api) {
  if (!api.engine.snapshot()) return not_ready(request, api);
  const auto* named = request.parameter("profile");
  const auto profile = named != nullptr ? *named : api.engine.config().profile;
  const auto known = api.engine.known_audit(profile);
  if (known && is_whole(request)) return audit_response(request, known);
  return later([&api, profile](const Request& same) {
    const auto answer = api.engine.audit(profile);
    if (!answer) return profile_problem(same, api, profile, answer.error());
    return audit_response(same, *answer);
  });
}

namespace {

constexpr std::string_view kInline = "inline";

Response audit_of(const Request& request, Api& api, const Profile& profile) {
  const auto audit = api.engine.audit_once(profile);
  if (!audit) return not_ready(request, api);
  return json_response(audit_json(*audit), {});
}

Response audit_asked_for(const Request& request, Api& api) {
  const auto asked = from_json<AuditRequest>(request.body);
  if (!asked) return body_problem(request, asked.error());
  if (!asked->inline_profile) {
    const auto name = asked->profile.value_or(api.engine.config().profile);
    const auto profile = api.engine.profiles().load(name);
    return profile ? audit_of(request, api, *profile)
                   : profile_problem(request, api, name, profile.error());
  }
  if (asked->profile) {
    return body_problem(request, "/inline", "it is that, or the name of a profile, not both");
  }
  const auto profile = api.engine.profiles().parse(*asked->inline_profile, std::string(kInline));
  return profile ? audit_of(request, api, *profile)
                 : body_problem(request, "/inline", profile.error().message());
}

}  // namespace

Response post_audit(const Request& request, Api& api) {
  if (!api.engine.snapshot()) return not_ready(request, api);
  return later([&api](const Request& same) { return audit_asked_for(same, api); });
}

}  // namespace lk
