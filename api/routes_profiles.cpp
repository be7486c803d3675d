#include <algorithm>
#include <cerrno>

#include "api/answers.hpp"
#include "api/handlers.hpp"
#include "api/negotiate.hpp"
#include "api/profile_problem.hpp"
#include "api/views.hpp"
#include "base/json_write.hpp"

namespace lk {

Response profile_problem(const Request& request, Api& api, const std::string& name,
                         const Error& error) {
  if (error.err == EAGAIN) return not_ready(request, api);
  std::vector<std::string> known;
  for (const auto& each : api.profiles.entries()) known.push_back(each.name);
  if (std::find(known.begin(), known.end(), name) != known.end()) {
    return problem(request, "profile_invalid", error.message());
  }
  return problem(request, "profile_unknown",
                 "there is no profile \"" + name + "\"" + near_hint(name, known));
}

Response list_profiles(const Request&, Api& api) {
  const auto default_name = api.engine.config().profile;
  std::vector<ProfileEntryView> views;
  for (const auto& each : api.profiles.entries()) {
    views.push_back(
        {each.name, each.description, each.file, each.valid, each.name == default_name});
  }
  auto text = to_json(views);
  auto etag = content_etag(text);
  return json_response(std::move(text), std::move(etag));
}

Response get_profile(const Request& request, Api& api) {
  const auto& name = request.arguments.find("name")->second;
  const auto text = api.profiles.json(name);
  if (!text) return profile_problem(request, api, name, text.error());
  return json_response(*text, content_etag(**text));
}

}  // namespace lk
