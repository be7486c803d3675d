#include "daemon/command.hpp"

namespace lk {

// In the order of help.
std::span<const Command> commands() {
  static const std::vector<Command> table = {
      inventory_command(),
      audit_command(),
      explain_command(),
      diff_command(),
      profiles_list_command(),
      profiles_show_command(),
      profiles_validate_command(),
      knobs_list_command(),
      knobs_show_command(),
      placement_command(),
      exec_command(),
      capture_command(),
      serve_command(),
      openapi_command(),
      config_check_command(),
      version_command(),
      completion_command(),
      man_command(),
      reader_command(),
      capture_reader_command(),
  };
  return table;
}

}  // namespace lk
