#include "api/answers.hpp"
#include "api/handlers.hpp"
#include "api/negotiate.hpp"
#include "api/openapi.hpp"
#include "api/route.hpp"

namespace lk {

namespace {

Response fixed(const Text& text, std::string_view type) {
  Response response;
  response.content_type = std::string(type);
  response.body = text;
  response.etag = content_etag(*text);
  return response;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char each : text) {
    if (each == '<')
      out += "&lt;";
    else if (each == '&')
      out += "&amp;";
    else
      out += each;
  }
  return out;
}

std::string index_page() {
  std::string out =
      "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">"
      "<title>Lanekeeper</title></head>\n<body>\n<h1>Lanekeeper " LK_VERSION "</h1>\n<ul>\n";
  for (const auto& each : routes()) {
    const auto pattern = escaped(each.pattern);
    const bool link = each.pattern.find('{') == std::string_view::npos;
    out += "<li>" + std::string(method_name(each.method)) + " ";
    out += link ? "<a href=\"" + pattern + "\">" + pattern + "</a>" : pattern;
    out += ": " + escaped(each.summary) + "</li>\n";
  }
  return out + "</ul>\n</body>\n</html>\n";
}

}  // namespace

Response get_index(const Request&, Api&) {
  static const Text text = std::make_shared<const std::string>(index_page());
  return fixed(text, "text/html; charset=utf-8");
}

Response get_openapi_json(const Request&, Api&) {
  static const Text text = std::make_shared<const std::string>(openapi_json());
  return fixed(text, "application/json");
}

Response get_openapi_yaml(const Request&, Api&) {
  static const Text text = std::make_shared<const std::string>(openapi_yaml());
  return fixed(text, "application/yaml");
}

Response get_problem_page(const Request& request, Api&) {
  const auto& code = request.arguments.find("code")->second;
  const auto* kind = find_problem_kind(code);
  if (kind == nullptr) {
    std::vector<std::string> known;
    for (const auto& each : problem_kinds()) known.emplace_back(each.code);
    return problem(request, "not_found",
                   "there is no problem code \"" + code + "\"" + near_hint(code, known));
  }
  return text_response(200, "text/plain; charset=utf-8",
                       std::string(kind->title) + " (" + std::string(kind->code) + ", HTTP " +
                           std::to_string(kind->status) + ")\n" + std::string(kind->advice) + "\n");
}

}  // namespace lk
