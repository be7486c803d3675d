// A profile that cannot be used, as a problem: unknown, broken, or nothing to audit yet.
#pragma once

#include "api/api.hpp"

namespace lk {

Response profile_problem(const Request& request, Api& api, const std::string& name,
                         const Error& error);

}  // namespace lk
