#include "api/openapi.hpp"
#include "daemon/session.hpp"

namespace lk {

Command openapi_command() {
  return {.name = "openapi",
          .summary = "print the HTTP interface's description (OpenAPI 3.1, YAML)",
          .options = {{.name = "json", .value = "", .help = "as JSON"}},
          .run = [](const Arguments& arguments) {
            return show(arguments.json() ? openapi_json() : openapi_yaml());
          }};
}

}  // namespace lk
