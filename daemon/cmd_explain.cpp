#include "tuners/explain.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "daemon/session.hpp"
#include "daemon/terminal.hpp"

namespace lk {

namespace {

// Each line broken at the terminal's width, the rest under where its text began.
std::string fitted(const std::string& text, const Terminal& where) {
  std::string out;
  auto lines = split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  for (const auto line : lines) {
    const auto blanks = std::min(line.find_first_not_of(' '), line.size());
    std::size_t indent = blanks;
    if (const auto colon = line.find(":  "); blanks > 2 && colon != line.npos && colon < 16) {
      indent = std::min(line.find_first_not_of(' ', colon + 1), line.size());
    }
    const auto head = line.substr(0, indent);
    out += visible(head) + wrap(visible(line.substr(indent)), where.width, indent) + '\n';
  }
  return out;
}

Error unknown_check(const Profile& profile, const std::string& check) {
  std::vector<std::string> known;
  for (const auto& each : profile.checks) known.push_back(each.id);
  for (const auto* knob : knobs()) known.emplace_back(knob->id);
  std::string text = "unknown check \"" + check + '"';
  if (const auto near = nearest(check, known); !near.empty()) {
    text += ", is \"" + near + "\" meant?";
  } else {
    text += " (try: lanekeeper knobs list)";
  }
  return Error{text, {}, 0};
}

int run(const Arguments& arguments) {
  const auto check = arguments.value("check").value_or("");
  const auto engine = read_host(arguments);
  if (!engine) return fail(engine.error());
  const auto profile = chosen_profile((*engine)->config(), arguments);
  if (!profile) return fail(profile.error());
  const auto audit = audited(**engine, *profile, {check});
  const auto text = explain(audit, *profile, check);
  if (text.empty()) return fail(unknown_check(*profile, check));
  return show(arguments.json() ? audit_json(audit, 2) + '\n' : fitted(text, terminal()));
}

}  // namespace

Command explain_command() {
  return {.name = "explain",
          .summary = "say what a check looks at, what it found, why it matters and what to do",
          .takes = {.root = true, .config = true, .output = true},
          .options = {{.name = "check",
                       .value = "CHECK",
                       .help = "a check of the profile, or a knob",
                       .positional = true,
                       .required = true},
                      {.name = "profile",
                       .value = "NAME",
                       .help = "a profile's name, or a YAML file [balanced]"}},
          .run = run};
}

}  // namespace lk
