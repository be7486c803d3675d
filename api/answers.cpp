#include "api/answers.hpp"

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

std::string near_hint(std::string_view word, const std::vector<std::string>& known) {
  const auto near = nearest(word, known);
  return near.empty() ? "" : "; is \"" + near + "\" meant?";
}

}  // namespace lk
