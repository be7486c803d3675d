#include <algorithm>

#include "base/text.hpp"
#include "daemon/audit_table.hpp"
#include "daemon/session.hpp"

namespace lk {

namespace {

std::string next_of(const Arguments& arguments, const Audit& audit) {
  const auto check = worst_check(audit);
  if (check.empty()) return {};
  auto with_profile = arguments;
  if (!arguments.has("profile")) with_profile.add("profile", audit.profile);
  return next_command(with_profile, {"explain", check});
}

std::string show_command(const Arguments& arguments, const Profile& profile) {
  Arguments config;
  if (const auto file = arguments.value("config")) config.add("config", *file);
  return next_command(config,
                      {"profiles", "show", arguments.value("profile").value_or(profile.name)});
}

Status known_checks(const Profile& profile, const std::vector<std::string>& only,
                    const std::string& show_command) {
  std::vector<std::string> known;
  for (const auto& check : profile.checks) known.push_back(check.id);
  for (const auto& wanted : only) {
    if (std::find(known.begin(), known.end(), wanted) != known.end()) continue;
    std::string text = "profile " + profile.name + " has no check \"" + wanted + '"';
    if (const auto near = nearest(wanted, known); !near.empty()) {
      text += ", is \"" + near + "\" meant?";
    } else {
      text += " (try: " + show_command + ")";
    }
    return Error{text, {}, 0};
  }
  return ok_status();
}

int run(const Arguments& arguments) {
  const auto engine = read_host(arguments);
  if (!engine) return fail(engine.error());
  const auto profile = chosen_profile((*engine)->config(), arguments);
  if (!profile) return fail(profile.error());
  const auto only = arguments.values("only");
  const auto shows = show_command(arguments, *profile);
  if (auto status = known_checks(*profile, only, shows); !status) return fail(status.error());
  const auto snapshot = (*engine)->snapshot();
  const auto audit = audited(**engine, *profile, only);
  const int status =
      show(arguments.json() ? audit_json(audit, 2) + '\n'
                            : audit_text(audit, snapshot->inventory, arguments.has("all"),
                                         next_of(arguments, audit), terminal()));
  if (status != kDone) return status;
  if (!says_anything(snapshot->inventory)) return nothing_read(**engine);
  const auto level = from_name<Severity>(arguments.value("fail-on").value_or("warning"));
  return audit_exit_status(audit, level.value_or(Severity::warning));
}

}  // namespace

Command audit_command() {
  return {
      .name = "audit",
      .summary = "judge this host against a profile",
      .text =
          "Exit status: 0 clean; 1 a check fails at or above the level, and no\n"
          "waiver accepts it; 2 usage, or nothing\n"
          "could be read; 3 nothing failed, but a check at that level could not be judged\n"
          "(unknown, or locked).",
      .takes = {.root = true, .config = true, .output = true},
      .options = {{.name = "profile",
                   .value = "NAME",
                   .help = "a profile's name, or a YAML file [balanced]"},
                  {.name = "only",
                   .value = "CHECK",
                   .help = "only this check (repeatable)",
                   .repeats = true},
                  {.name = "fail-on",
                   .value = "LEVEL",
                   .help = "info, warning or critical [warning]",
                   .choices = "info|warning|critical"},
                  {.name = "all", .value = "", .help = "show what passes or does not apply, too"}},
      .run = run};
}

}  // namespace lk
