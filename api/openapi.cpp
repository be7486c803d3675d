#include "api/openapi.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "api/problem.hpp"
#include "api/route.hpp"
#include "api/views.hpp"
#include "service/engine.hpp"

namespace lk {

namespace {

using Tree = nlohmann::ordered_json;

constexpr std::string_view kAbout =
    "Inventory, audit and state of one storage host.\n\n"
    "Every GET answers HEAD too. Values that could not be read are null; `probes[].problems[]` of "
    "the inventory says why. Errors are RFC 9457 problems with a stable `code`.\n\n"
    "Clients must ignore fields that they do not know: within /v1 fields, list members, enum "
    "values, problem codes and routes may be added; none is removed or renamed, and no field's "
    "type or unit changes. The server refuses query parameters and members of requests that it "
    "does not know.";

Tree text_schema() {
  return {{"type", "string"}};
}

Tree parameter_schema(const Parameter& parameter) {
  Tree item = text_schema();
  if (!parameter.values.empty()) item["enum"] = parameter.values;
  if (!parameter.list) return item;
  return {{"type", "array"}, {"items", item}};
}

Tree parameters(const Route& route) {
  Tree out = Tree::array();
  for (const auto& each : route.parameters) {
    Tree entry{{"name", each.name},
               {"in", each.in_path ? "path" : "query"},
               {"description", each.doc},
               {"required", each.in_path}};
    if (each.list) {
      entry["style"] = "form";
      entry["explode"] = false;
    }
    entry["schema"] = parameter_schema(each);
    out.push_back(std::move(entry));
  }
  return out;
}

std::string_view problem_meaning(int status) {
  switch (status) {
    case 304:
      return "The client's copy, named by If-None-Match, is current.";
    case 400:
      return "Malformed request, or a query parameter that is unknown or invalid.";
    case 403:
      return "The client may not do this.";
    case 404:
      return "There is nothing of that name.";
    case 406:
      return "The client does not accept the type that this resource has.";
    case 409:
      return "The state of what is named forbids an answer.";
    case 412:
      return "The resource is not what If-Match says.";
    case 413:
      return "The body is too large.";
    case 415:
      return "The body has a type that this route does not take.";
    case 421:
      return "The Host header names another server.";
    case 422:
      return "The body's content is wrong; `errors` points at it.";
    case 429:
      return "The client asks too much at once; Retry-After says when to ask again.";
    case 503:
      return "Not now: the first inventory is still being read, the last one is old, or something "
             "cannot be kept.";
    case 507:
      return "There is no room to keep it; nothing was changed.";
    default:
      return "Any other problem.";
  }
}

Tree responses(const Route& route, Schemas& schemas) {
  const auto& body = route.body;
  Tree ok{{"description", "The resource."}};
  if (body.etag) {
    ok["headers"]["ETag"] = {{"description", "Changes whenever the content does."},
                             {"schema", text_schema()}};
  }
  const auto type = std::string(body.content_type.substr(0, body.content_type.find(';')));
  if (!type.empty()) {
    ok["content"][type]["schema"] =
        body.schema == nullptr ? text_schema() : Tree::parse(body.schema(schemas));
  }
  if (route.success == 201) {
    ok["headers"]["Location"] = {{"description", "Where the new resource is."},
                                 {"schema", text_schema()}};
  }
  Tree out{{std::to_string(route.success), ok}};
  if (body.etag) out["304"] = {{"description", problem_meaning(304)}};
  std::set<int> statuses(route.problems.begin(), route.problems.end());
  statuses.insert({400, 406, 421, 429});
  for (const int status : statuses) {
    out[std::to_string(status)] = {
        {"description", problem_meaning(status)},
        {"content",
         {{std::string(kProblemType),
           {{"schema", {{"$ref", "#/components/schemas/ProblemDetails"}}}}}}}};
  }
  out["default"] = {{"$ref", "#/components/responses/Problem"}};
  return out;
}

std::string tag_of(std::string_view pattern) {
  if (!pattern.starts_with("/v1/")) return "service";
  const auto rest = pattern.substr(4);
  return std::string(rest.substr(0, rest.find('/')));
}

// OpenAPI 3.1 has no word for what the events of a stream carry.
Tree events(Schemas& schemas) {
  Tree out;
  out["inventory"] = Tree::parse(schemas.schema_of<InventoryChange>());
  out["finding"] = Tree::parse(schemas.schema_of<VerdictChange>());
  out["waiver"] = Tree::parse(schemas.schema_of<WaiverChange>());
  out["reset"] = Tree::parse(schemas.schema_of<ResetView>());
  return out;
}

Tree request_body(const Route& route, Schemas& schemas) {
  Tree out{{"required", true}};
  out["content"][std::string(route.consumes)]["schema"] =
      route.takes == nullptr ? text_schema() : Tree::parse(route.takes(schemas));
  return out;
}

Tree operation(const Route& route, Schemas& schemas) {
  Tree out{{"operationId", route.operation_id},
           {"summary", route.summary},
           {"tags", Tree::array({tag_of(route.pattern)})}};
  if (!route.parameters.empty()) out["parameters"] = parameters(route);
  if (route.pattern == "/v1/events") out["x-events"] = events(schemas);
  if (!route.consumes.empty()) out["requestBody"] = request_body(route, schemas);
  out["responses"] = responses(route, schemas);
  return out;
}

std::string lower_method(Method method) {
  std::string out(method_name(method));
  for (char& each : out) each = static_cast<char>(each - 'A' + 'a');
  return out;
}

Tree problem_response() {
  std::string codes;
  for (const auto& each : problem_kinds()) {
    codes += (codes.empty() ? "`" : ", `") + std::string(each.code) + "`";
  }
  return {{"description", "A problem. Codes: " + codes + "."},
          {"content",
           {{std::string(kProblemType),
             {{"schema", {{"$ref", "#/components/schemas/ProblemDetails"}}}}}}}};
}

Tree document() {
  Schemas schemas;
  schemas.add<ProblemDetails>();
  Tree paths = Tree::object();
  for (const auto& each : routes()) {
    paths[std::string(each.pattern)][lower_method(each.method)] = operation(each, schemas);
  }
  Tree out{{"openapi", "3.1.0"},
           {"info",
            {{"title", "Lanekeeper"},
             {"version", LK_VERSION},
             {"description", kAbout},
             {"license", {{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}}}},
           {"servers", Tree::array({{{"url", "/"}}})},
           {"security", Tree::array()},
           {"paths", paths}};
  out["components"]["responses"]["Problem"] = problem_response();
  for (const auto& [name, text] : schemas.texts()) {
    out["components"]["schemas"][name] = Tree::parse(text);
  }
  return out;
}

// Plain where YAML cannot take it for anything but a string.
std::string yaml_key(const std::string& key) {
  static const std::set<std::string> kSpecial{"y",   "n",    "yes",   "no",  "on",
                                              "off", "true", "false", "null"};
  const bool plain =
      key.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") ==
      std::string::npos;
  return plain && !key.empty() && !kSpecial.contains(key) ? key : Tree(key).dump();
}

// Every other string is double-quoted: a JSON string is a YAML one too, and nothing can be taken
// for a number, a date or a boolean.
void write_yaml(std::string& out, const Tree& tree, std::size_t depth) {
  const std::string indent(depth * 2, ' ');
  if (tree.is_object() && !tree.empty()) {
    for (const auto& item : tree.items()) {
      out += indent + yaml_key(item.key()) + ":";
      const bool nested = item.value().is_structured() && !item.value().empty();
      out += nested ? "\n" : " ";
      write_yaml(out, item.value(), depth + 1);
    }
  } else if (tree.is_array() && !tree.empty()) {
    for (const auto& element : tree) {
      const bool nested = element.is_structured() && !element.empty();
      out += indent + (nested ? "-\n" : "- ");
      write_yaml(out, element, depth + 1);
    }
  } else {
    out += tree.dump() + "\n";
  }
}

}  // namespace

std::string openapi_json() {
  return document().dump(2) + "\n";
}

std::string openapi_yaml() {
  std::string out;
  write_yaml(out, document(), 0);
  return out;
}

}  // namespace lk
