// The few answers that most handlers give.
#pragma once

#include "api/api.hpp"
#include "api/problem.hpp"

namespace lk {

// A JSON text with a tag.
Response json_response(Text body, std::string etag);
Response json_response(std::string body, std::string etag);

// 503: there is no inventory yet, and why.
Response not_ready(const Request& request, const Api& api);

// "; is \"x\" meant?", or "" where nothing is near.
std::string near_hint(std::string_view word, const std::vector<std::string>& known);

}  // namespace lk
