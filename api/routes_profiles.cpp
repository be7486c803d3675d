#include <algorithm>
#include <cerrno>

#include "api/answers.hpp"
#include "api/handlers.hpp"
#include "api/negotiate.hpp"
#include "api/profile_problem.hpp"
#include "api/views.hpp"
#include "base/json_write.hpp"
#include "base/yaml.hpp"

namespace lk {

Response profile_problem(const Request& request, Api& api, const std::string& name,
                         const Error& error) {
  if (error.err == EAGAIN) return not_ready(request, api);
  std::vector<std::string> known;
  for (const auto& each : *api.profiles.entries()) known.push_back(each.name);
  if (std::find(known.begin(), known.end(), name) != known.end()) {
    return problem(request, "profile_invalid", error.message());
  }
  return problem(request, "profile_unknown",
                 "there is no profile \"" + name + "\"" + near_hint(name, known));
}

namespace {

Response list_of(const ProfileCache::Entries& entries, const std::string& default_name) {
  std::vector<ProfileEntryView> views;
  for (const auto& each : *entries) {
    views.push_back(
        {each.name, each.description, each.file, each.valid, each.name == default_name});
  }
  auto text = to_json(views);
  auto etag = content_etag(text);
  return json_response(std::move(text), std::move(etag));
}

}  // namespace

Response list_profiles(const Request&, Api& api) {
  const auto default_name = api.engine.config().profile;
  if (const auto known = api.profiles.known_entries()) return list_of(known, default_name);
  return later([&api, default_name](const Request&) {
    return list_of(api.profiles.entries(), default_name);
  });
}

Response get_profile(const Request& request, Api& api) {
  const auto& name = request.arguments.find("name")->second;
  if (const auto known = api.profiles.known_json(name)) {
    return json_response(known, content_etag(*known));
  }
  return later([&api](const Request& same) {
    const auto& wanted = same.arguments.find("name")->second;
    const auto text = api.profiles.json(wanted);
    if (!text) return profile_problem(same, api, wanted, text.error());
    return json_response(*text, content_etag(**text));
  });
}

Response validate_profile(const Request&, Api& api) {
  return later([&api](const Request& same) {
    const std::string file = "profile";
    const auto profile = api.engine.profiles().parse(same.body, file);
    ValidationView view{profile.ok(), {}};
    if (!profile) {
      const auto fault = yaml_fault(profile.error(), file);
      view.errors.push_back({fault.line, fault.detail, fault.nearest});
    }
    return json_response(to_json(view), {});
  });
}

}  // namespace lk
