#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>

#include "base/text.hpp"
#include "daemon/command.hpp"
#include "daemon/terminal.hpp"

namespace lk {

namespace {

struct Slot {
  std::string name;
  bool flag = false;
  bool given = false;
  std::vector<std::string> values;
};

struct Bound {
  CLI::App* app;
  const Command* command;
  std::deque<Slot> slots;  // addresses stay
};

void bind_option(Bound& bound, const Option& option) {
  auto& slot = bound.slots.emplace_back();
  slot.name = option.name;
  slot.flag = option.value.empty() && !option.positional;
  const std::string help(option.help);
  if (slot.flag) {
    bound.app->add_flag("--" + slot.name, slot.given, help);
    return;
  }
  std::string name = option.positional ? slot.name : "--" + slot.name;
  if (option.name == "output") name = "-o," + name;
  auto* added = bound.app->add_option(name, slot.values, help);
  added->type_name(std::string(option.value))->required(option.required);
  added->expected(option.repeats && option.positional ? -1 : 1);
  added->multi_option_policy(option.repeats ? CLI::MultiOptionPolicy::TakeAll
                                            : CLI::MultiOptionPolicy::TakeLast);
  if (!option.choices.empty()) {
    std::vector<std::string> choices;
    for (const auto each : split(option.choices, '|')) choices.emplace_back(each);
    added->check(CLI::IsMember(choices));
  }
}

// The app for "profiles list" is the subcommand "list" of the subcommand "profiles".
CLI::App* place_of(CLI::App& top, const Command& command) {
  CLI::App* parent = &top;
  const auto path = words(command.name);
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const std::string name(path[i]);
    const auto children = parent->get_subcommands({});
    const auto found = std::find_if(children.begin(), children.end(),
                                    [&](const CLI::App* app) { return app->get_name() == name; });
    parent = found != children.end() ? *found : parent->add_subcommand(name, "");
    parent->require_subcommand(1);
  }
  auto* app = parent->add_subcommand(std::string(path.back()), std::string(command.summary));
  if (!command.text.empty()) app->footer("\n" + std::string(command.text));
  if (command.hidden) app->group("");
  return app;
}

void describe_groups(CLI::App& top) {
  for (auto* app : top.get_subcommands({})) {
    std::string names;
    for (auto* each : app->get_subcommands({})) {
      names += (names.empty() ? "" : ", ") + each->get_name();
    }
    if (!names.empty()) app->description(names);
  }
}

// The deepest subcommand that was named.
const CLI::App* named(const CLI::App& top) {
  const CLI::App* app = &top;
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  return app;
}

std::vector<std::string> known_words(const CLI::App& app, bool options) {
  std::vector<std::string> known;
  if (options) {
    for (const auto* each : app.get_options()) {
      for (const auto& name : each->get_lnames()) known.push_back("--" + name);
    }
    return known;
  }
  for (const auto* each : app.get_subcommands({})) {
    if (!each->get_group().empty()) known.push_back(each->get_name());
  }
  return known;
}

std::string path_of(const CLI::App& app) {
  const auto* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : path_of(*parent) + ' ' + app.get_name();
}

std::string unexpected(const CLI::App& app, const std::string& word) {
  const bool option = word.starts_with('-');
  const auto name = option ? word.substr(0, word.find('=')) : word;
  const auto known = known_words(app, option);
  std::string text = !option && known.empty() ? "unexpected argument \"" + name + '"'
                     : option                 ? "unknown option " + name
                                              : "unknown command \"" + name + '"';
  if (const auto near = nearest(name, known); !near.empty()) text += ", is " + near + " meant?";
  return text;
}

int refuse(const CLI::App& top, const CLI::ParseError& error) {
  const auto* app = named(top);
  std::string text = error.what();
  // An unknown word may be reported as a missing subcommand; the word itself says more.
  const auto rest = top.remaining(true);
  if (!rest.empty() && rest.front() != "--") {
    text = unexpected(*app, rest.front());
  } else if (error.get_name() == "RequiredError" && !app->get_subcommands({}).empty()) {
    text = "a command is missing:";
    for (const auto& each : known_words(*app, false)) text += ' ' + each;
  }
  complain(text + " (try: " + path_of(*app) + " --help)");
  return kFailed;
}

// What follows the first "--" of exec is another program's command line, and none of ours.
int end_of_options(int argc, const char* const* argv) {
  if (argc < 2 || std::string_view(argv[1]) != "exec") return argc;
  const auto* end = std::find(argv, argv + argc, std::string_view("--"));
  return static_cast<int>(end - argv);
}

}  // namespace

std::optional<std::string> Arguments::value(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end() || found->second.empty()) return std::nullopt;
  return found->second.back();
}

std::vector<std::string> Arguments::values(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

std::vector<Option> all_options(const Command& command) {
  auto options = command.options;
  if (command.takes.output) {
    options.push_back({.name = "output",
                       .value = "FORMAT",
                       .help = "table (for people) or json",
                       .choices = "table|json"});
    options.push_back({.name = "json", .value = "", .help = "the same as -o json"});
  }
  if (command.takes.root) {
    options.push_back(
        {.name = "root", .value = "DIR", .help = "a captured tree in place of this host"});
  }
  if (command.takes.config) {
    options.push_back(
        {.name = "config", .value = "FILE", .help = "configuration [/etc/lanekeeper/config.yaml]"});
  }
  return options;
}

Parsed parse_command_line(int argc, const char* const* argv) {
  CLI::App top("Keeps NVMe storage hosts on the fast path: inventory, audit, HTTP.", "lanekeeper");
  top.require_subcommand(1);
  top.set_help_all_flag("--help-all", "help of every command");
  std::deque<Bound> all;
  for (const auto& command : commands()) {
    auto& bound = all.emplace_back(Bound{place_of(top, command), &command, {}});
    for (const auto& option : all_options(command)) bind_option(bound, option);
  }
  describe_groups(top);
  top.footer(
      "\nlanekeeper COMMAND --help says more. Exit status: 0 done, 2 usage or nothing could be\n"
      "read; audit also 1 (a check fails) and 3 (a check could not be judged).");
  Parsed parsed;
  try {
    top.parse(end_of_options(argc, argv), argv);
  } catch (const CLI::CallForHelp&) {
    parsed.status = print(top.help()) ? kDone : kFailed;
    return parsed;
  } catch (const CLI::CallForAllHelp&) {
    parsed.status = print(top.help("", CLI::AppFormatMode::All)) ? kDone : kFailed;
    return parsed;
  } catch (const CLI::ParseError& error) {
    parsed.status = refuse(top, error);
    return parsed;
  }
  for (const auto& bound : all) {
    if (!bound.app->parsed()) continue;
    parsed.command = bound.command;
    for (const auto& slot : bound.slots) {
      if (slot.given) parsed.arguments.add(slot.name, "");
      for (const auto& value : slot.values) parsed.arguments.add(slot.name, value);
    }
    for (int i = end_of_options(argc, argv) + 1; i < argc; ++i) {
      parsed.arguments.add("command", argv[i]);
    }
  }
  return parsed;
}

}  // namespace lk
