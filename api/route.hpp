// Routes: one line of data for each, from which requests are dispatched and OpenAPI is written.
#pragma once

#include <span>

#include "api/http_types.hpp"
#include "base/schema.hpp"

namespace lk {

struct Api;  // what handlers work with: api.hpp

// Who may use a route, in rising order. An operator changes what this host's daemon does.
enum class Access { anyone, reader, operator_ };

// Who an operator is: over a Unix socket root, the daemon's own user, and the group `lanekeeper`.
struct Operators {
  std::uint32_t user = 0;
  std::optional<std::uint32_t> group;  // absent if the host has no such group
};
// Of this process and host. Asks the group database, which may take its time.
Operators operators_here();
// Listeners are Unix sockets and loopback: whoever reaches them may read.
Access granted_to(const Peer& peer, const Operators& operators);

struct Parameter {
  std::string_view name;
  std::string_view doc;
  bool in_path = false;
  bool list = false;                // several values with commas between them
  std::vector<std::string> values;  // all that are allowed; empty: any
};

struct Body {
  std::string_view content_type;
  std::string (*schema)(Schemas&) = nullptr;  // JSON schema as text; null: free text
  bool etag = false;
};

struct Route {
  Method method;
  std::string_view pattern;  // "/v1/knobs/{id}"
  Access access;
  Response (*handler)(const Request&, Api&);
  std::string_view operation_id;
  std::string_view summary;
  Body body;
  std::vector<Parameter> parameters = {};
  std::vector<int> problems = {};  // statuses beside those that every route may answer with
  std::size_t body_limit = 0;      // of requests; 0: takes no body
  std::string_view consumes = "";  // the content type of requests
  int success = 200;               // the status where all is well
  std::string (*takes)(Schemas&) = nullptr;  // JSON schema of requests as text; null: free text
};

// All routes of this server.
std::span<const Route> routes();

// Whether `path` (percent-encoded) fits the pattern; fills the decoded arguments.
bool match_pattern(std::string_view pattern, std::string_view path,
                   std::map<std::string, std::string, std::less<>>& arguments);

template <class T>
Body json_body(bool etag) {
  return {"application/json", [](Schemas& schemas) { return schemas.schema_of<T>(); }, etag};
}

template <class T>
std::string request_schema(Schemas& schemas) {
  return schemas.request_of<T>();
}

}  // namespace lk
