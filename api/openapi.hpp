// The API's description in OpenAPI 3.1, written from the route table and the described structs.
// openapi/ in the repository holds what this returns; a test fails when they differ.
#pragma once

#include <string>

namespace lk {

std::string openapi_json();
std::string openapi_yaml();

}  // namespace lk
