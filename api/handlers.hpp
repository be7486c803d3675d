// The handlers that the route table names, by the noun in whose file they are.
#pragma once

#include "api/http_types.hpp"

namespace lk {

struct Api;

// routes_inventory.cpp
Response get_inventory(const Request& request, Api& api);
Response get_part(const Request& request, Api& api);  // the last word of its path
Response get_drive(const Request& request, Api& api);

// routes_events.cpp
Response get_events(const Request& request, Api& api);
Response refresh_inventory(const Request& request, Api& api);
Response get_diff(const Request& request, Api& api);

// routes_knobs.cpp
Response list_knobs(const Request& request, Api& api);
Response get_knob(const Request& request, Api& api);

// routes_profiles.cpp
Response list_profiles(const Request& request, Api& api);
Response get_profile(const Request& request, Api& api);
Response validate_profile(const Request& request, Api& api);

// routes_audit.cpp
Response get_audit(const Request& request, Api& api);
Response post_audit(const Request& request, Api& api);

// routes_waivers.cpp
Response list_waivers(const Request& request, Api& api);
Response add_waiver(const Request& request, Api& api);
Response delete_waiver(const Request& request, Api& api);

// routes_health.cpp
Response get_live(const Request& request, Api& api);
Response get_ready(const Request& request, Api& api);
Response get_version(const Request& request, Api& api);
Response get_metrics(const Request& request, Api& api);

// routes_docs.cpp
Response get_index(const Request& request, Api& api);
Response get_openapi_json(const Request& request, Api& api);
Response get_openapi_yaml(const Request& request, Api& api);
Response get_problem_page(const Request& request, Api& api);

}  // namespace lk
