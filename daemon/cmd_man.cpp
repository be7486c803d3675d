#include "base/text.hpp"
#include "daemon/session.hpp"

namespace lk {

namespace {

// roff takes a leading dot or quote for a request and a backslash for an escape.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if ((out.empty() || out.back() == '\n') && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\' || c == '-') out += '\\';
    out += c == '\\' ? 'e' : c;
  }
  return out;
}

std::string option_text(const Option& option) {
  const std::string value(option.value);
  std::string name = option.positional ? roff(value) : "\\-\\-" + roff(option.name);
  if (option.name == "output") name = "\\-o, " + name;
  if (!option.positional && !value.empty()) name += ' ' + roff(value);
  return ".TP\n.B " + name + '\n' + roff(option.help) + '\n';
}

std::string command_text(const Command& command) {
  std::string out = ".SS " + roff(command.name) + '\n' + roff(command.summary) + ".\n";
  if (!command.text.empty()) out += ".PP\n" + roff(command.text) + '\n';
  for (const auto& option : all_options(command)) out += option_text(option);
  return out;
}

constexpr std::string_view kEnd = R"(.SH EXIT STATUS
.TP
.B 0
done; for audit: nothing failed at or above the level
.TP
.B 1
audit: an unwaived check fails at or above the level
.TP
.B 2
wrong usage, or nothing could be read
.TP
.B 3
audit: nothing failed, but a check at that level is unknown or locked
.SH ENVIRONMENT
.TP
.B NO_COLOR
if set and not empty, no colours
.TP
.B COLUMNS
width of tables
.SH FILES
.TP
.B /etc/lanekeeper/config.yaml
configuration, then config.d/*.yaml beside it
.TP
.B /etc/lanekeeper/profiles
profiles of this site; they win over those of the package and the built\-in ones
.TP
.B /usr/share/lanekeeper/profiles
profiles of the package
)";

int run(const Arguments&) {
  std::string out =
      ".TH LANEKEEPER 1 \"\" \"lanekeeper " + std::string(LK_VERSION) +
      "\" \"Lanekeeper\"\n.SH NAME\nlanekeeper \\- keep NVMe storage hosts on the fast path\n"
      ".SH SYNOPSIS\n.B lanekeeper\n.I COMMAND\n[options]\n.SH DESCRIPTION\n"
      "Lanekeeper inventories NUMA nodes, sub\\-NUMA clusters and NVMe drives, audits the host\n"
      "against a profile, and serves both over HTTP. These commands write nothing to the host.\n"
      ".SH COMMANDS\n";
  for (const auto& command : commands()) {
    if (!command.hidden) out += command_text(command);
  }
  return show(out + std::string(kEnd));
}

}  // namespace

// For the build: man/lanekeeper.1 is made from the same table as the help.
Command man_command() {
  return {.name = "man", .summary = "print the manual page", .run = run, .hidden = true};
}

}  // namespace lk
