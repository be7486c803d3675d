// The few answers that most handlers give.
#pragma once

#include "api/api.hpp"
#include "api/problem.hpp"

namespace lk {

// A JSON text with a tag.
Response json_response(Text body, std::string etag);
Response json_response(std::string body, std::string etag);

// A response that `make` makes on the thread that may take its time.
Response later(std::function<Response(const Request&)> make);

// 503: there is no inventory yet, and why.
Response not_ready(const Request& request, const Api& api);

// What stands where a path that is no route begins to go wrong: "; is \"/v1/audit\" meant?", or
// "; below /v1 are audit, inventory, ...".
std::string route_hint(std::string_view path, const std::vector<std::string>& patterns);

// What is wrong with a JSON body, from from_json().
Response body_problem(const Request& request, const Error& error);
// One member of the body; `pointer` is "" for the whole.
Response body_problem(const Request& request, const std::string& pointer, std::string detail);

// "; is \"x\" meant?", or "" where nothing is near.
std::string near_hint(std::string_view word, const std::vector<std::string>& known);

}  // namespace lk
