// A command of the command line is one file, cmd_<name>.cpp, and one line in command_table.cpp.
// The same description gives parsing, help, bash completion and the manual page.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lk {

// Exit statuses; audit adds those of design.md 4.
constexpr int kDone = 0;
constexpr int kFailed = 2;  // usage, or nothing could be read

struct Option {
  std::string_view name = {};   // "profile" for --profile; a positional if `positional`
  std::string_view value = {};  // "NAME", shown in help; empty for a flag
  std::string_view help = {};
  bool repeats = false;
  bool positional = false;
  bool required = false;
  std::string_view choices = {};  // "table|json"; empty: any text
};

// What a command takes beside its own options.
struct Takes {
  bool root = false;    // --root
  bool config = false;  // --config
  bool output = false;  // -o, --json
};

class Arguments {
 public:
  void add(const std::string& name, std::string value) {
    values_[name].push_back(std::move(value));
  }
  bool has(const std::string& name) const { return values_.contains(name); }
  std::optional<std::string> value(const std::string& name) const;  // the last one
  std::vector<std::string> values(const std::string& name) const;
  bool json() const { return has("json") || value("output") == "json"; }

 private:
  std::map<std::string, std::vector<std::string>> values_;
};

struct Command {
  std::string_view name = {};     // "inventory", "profiles list"
  std::string_view summary = {};  // one line
  std::string_view text = {};     // the rest of its help; may be empty
  Takes takes = {};
  std::vector<Option> options = {};
  int (*run)(const Arguments&) = nullptr;
  bool hidden = false;
};

// A command to try next, as it can be pasted: "lanekeeper explain cpu.governor", then the options
// that decide what is looked at (--root, --config, --profile) as `arguments` have them.
std::string next_command(const Arguments& arguments, const std::vector<std::string>& words);
// For a shell: in quotes where there is anything but plain characters.
std::string shell_word(const std::string& word);

std::span<const Command> commands();
// The command's own options and those that it takes, in the order of help.
std::vector<Option> all_options(const Command& command);

struct Parsed {
  const Command* command = nullptr;  // null: there is nothing to run
  Arguments arguments;
  int status = kDone;
};
// Prints help where that is asked for, and complains about what is wrong.
Parsed parse_command_line(int argc, const char* const* argv);

// The commands.
Command inventory_command();
Command audit_command();
Command explain_command();
Command diff_command();
Command profiles_list_command();
Command profiles_show_command();
Command profiles_validate_command();
Command knobs_list_command();
Command knobs_show_command();
Command placement_command();
Command exec_command();
Command capture_command();
Command serve_command();
Command openapi_command();
Command config_check_command();
Command version_command();
Command completion_command();
Command man_command();
Command reader_command();
Command capture_reader_command();

}  // namespace lk
