#include "base/text.hpp"
#include "daemon/session.hpp"

namespace lk {

namespace {

// The words that can follow: "inventory" "profiles" at the top, "list" "show" after "profiles".
std::string words_after(std::string_view prefix) {
  std::string out;
  for (const auto& command : commands()) {
    if (command.hidden || !command.name.starts_with(prefix)) continue;
    auto rest = command.name.substr(prefix.size());
    rest = rest.substr(0, rest.find(' '));
    const auto padded = ' ' + std::string(rest);
    if ((' ' + out + ' ').find(padded + ' ') == std::string::npos) {
      out += (out.empty() ? "" : " ") + std::string(rest);
    }
  }
  return out;
}

// What can stand for a value; bash that sets COMPREPLY.
std::string values_of(const Option& option) {
  if (!option.choices.empty()) {
    std::string choices(option.choices);
    for (auto& c : choices) c = c == '|' ? ' ' : c;
    return "COMPREPLY=($(compgen -W '" + choices + "' -- \"$cur\"))";
  }
  if (option.value == "NAME") {
    return "COMPREPLY=($(compgen -W \"$(_lanekeeper_first profiles list)\" -f -- \"$cur\"))";
  }
  if (option.value == "CHECK" || option.value == "ID") {
    return "COMPREPLY=($(compgen -W \"$(_lanekeeper_first knobs list)\" -- \"$cur\"))";
  }
  if (option.value == "DRIVE") {
    return "COMPREPLY=($(compgen -W \"$(ls /sys/class/nvme 2>/dev/null)\" -- \"$cur\"))";
  }
  if (option.value == "COMMAND") return "COMPREPLY=($(compgen -c -f -- \"$cur\"))";
  if (option.value == "DIR") return "COMPREPLY=($(compgen -d -- \"$cur\"))";
  if (option.value == "FILE") return "COMPREPLY=($(compgen -f -- \"$cur\"))";
  return "COMPREPLY=()";
}

std::string case_of(const Command& command) {
  std::string flags = "--help";
  std::string by_option;
  std::string positional = "COMPREPLY=()";
  for (const auto& option : all_options(command)) {
    if (option.positional) {
      positional = values_of(option);
      continue;
    }
    flags += " --" + std::string(option.name);
    if (option.value.empty()) continue;
    by_option += "        --" + std::string(option.name) + (option.name == "output" ? "|-o" : "") +
                 ") " + values_of(option) + "; return ;;\n";
  }
  std::string out = "    '" + std::string(command.name) + "')\n";
  if (!by_option.empty()) out += "      case \"$prev\" in\n" + by_option + "      esac\n";
  out += "      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '" + flags + "' -- \"$cur\"))\n";
  return out + "      else " + positional + "; fi ;;\n";
}

std::string bash_script() {
  std::string out =
      "# bash completion for lanekeeper; to load it: source <(lanekeeper completion bash)\n"
      "_lanekeeper_first() { lanekeeper \"$@\" 2>/dev/null | tail -n +2 | cut -d' ' -f1; }\n"
      "_lanekeeper() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} path= i\n"
      "  COMPREPLY=()\n"
      "  for ((i = 1; i < COMP_CWORD && i <= 2; i++)); do\n"
      "    [[ ${COMP_WORDS[i]} == -* ]] && break\n"
      "    case \"$path${path:+ }${COMP_WORDS[i]}\" in\n";
  std::string groups;
  const std::string first_words = words_after("");
  for (const auto group : words(first_words)) {
    const std::string name(group);
    const auto below = words_after(name + ' ');
    if (!below.empty()) {
      groups += "    '" + name + "') COMPREPLY=($(compgen -W '" + below + "' -- \"$cur\")) ;;\n";
      out += "      '" + name + "') path='" + name + "' ;;\n";
    }
  }
  for (const auto& command : commands()) {
    if (!command.hidden) {
      const std::string name(command.name);
      out += "      '" + name + "') path='" + name + "'; break ;;\n";
    }
  }
  out += "    esac\n  done\n  case \"$path\" in\n    '') COMPREPLY=($(compgen -W '" +
         words_after("") + " --help' -- \"$cur\")) ;;\n" + groups;
  for (const auto& command : commands()) {
    if (!command.hidden) out += case_of(command);
  }
  return out + "  esac\n}\ncomplete -o filenames -F _lanekeeper lanekeeper\n";
}

int run(const Arguments&) {
  return show(bash_script());
}

}  // namespace

Command completion_command() {
  return {.name = "completion",
          .summary = "print the completion script of a shell",
          .text = "To load it: source <(lanekeeper completion bash)",
          .options = {{.name = "shell",
                       .value = "SHELL",
                       .help = "bash",
                       .positional = true,
                       .required = true,
                       .choices = "bash"}},
          .run = run};
}

}  // namespace lk
