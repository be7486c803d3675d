#include "base/json_write.hpp"
#include "daemon/session.hpp"
#include "daemon/table.hpp"

namespace lk {

namespace {

struct ProfileLine {
  std::string name;
  std::string description;
  std::string file;
  bool valid = false;

  static constexpr std::string_view kSchema = "ProfileLine";
  template <class Self = ProfileLine>
  static constexpr auto fields() {
    return std::tuple{field("name", &Self::name, "name"),
                      field("description", &Self::description, "what it is for, or what is wrong"),
                      field("file", &Self::file, "where it comes from"),
                      field("valid", &Self::valid, "whether it can be used")};
  }
};

int list(const Arguments& arguments) {
  const auto config = configured(arguments);
  if (!config) return fail(config.error());
  std::vector<ProfileLine> lines;
  for (auto& entry : ProfileStore(config->profile_dirs).list()) {
    lines.push_back({entry.name, entry.description, entry.file, entry.valid});
  }
  if (arguments.json()) return show(to_json(lines, 2) + '\n');
  Table table({{"PROFILE"}, {"DESCRIPTION", false, true}, {"FILE"}});
  for (const auto& line : lines) {
    table.row({line.name,
               {line.valid ? line.description : "broken: " + line.description,
                line.valid ? Ink::plain : Ink::red},
               line.file});
  }
  return show(table.render(terminal()));
}

std::string where_text(const Check& check) {
  std::string out;
  for (const auto& [key, value] : check.where) {
    out += (out.empty() ? "" : ", ") + key + '=' + value;
  }
  return out;
}

int show_one(const Arguments& arguments) {
  const auto config = configured(arguments);
  if (!config) return fail(config.error());
  const auto profile = chosen_profile(*config, arguments);
  if (!profile) return fail(profile.error());
  if (arguments.json()) return show(profile_json(*profile, 2) + '\n');
  const auto where = terminal();
  Table table({{"CHECK"},
               {"EXPECT", false, true},
               {"SEVERITY"},
               {"TUNE"},
               {"ENFORCE"},
               {"WHERE", false, true}});
  for (const auto& check : profile->checks) {
    table.row({check.id, check.expect ? check.expect->text : "(reported)",
               std::string(name_of(check.severity)), std::string(name_of(check.tune)),
               check.enforce ? "yes" : "", where_text(check)});
  }
  std::string out = inked(where, Ink::bold, visible(profile->name)) + ": " +
                    wrap(visible(profile->description), where.width, profile->name.size() + 2) +
                    '\n' + "file: " + visible(profile->file) + '\n';
  for (std::size_t i = 0; i < profile->extends.size(); ++i) {
    out += (i == 0 ? "extends: " : ", ") + visible(profile->extends[i]);
  }
  if (!profile->extends.empty()) out += '\n';
  return show(out + table.render(where));
}

int validate(const Arguments& arguments) {
  const auto config = configured(arguments);
  if (!config) return fail(config.error());
  const auto file = arguments.value("file").value_or("");
  const auto profile = profile_of_file(*config, file);
  if (!profile) return fail(profile.error());
  return show(visible(file) + ": profile " + visible(profile->name) + " is valid, " +
              std::to_string(profile->checks.size()) + " checks\n");
}

}  // namespace

Command profiles_list_command() {
  return {.name = "profiles list",
          .summary = "list the profiles, where they come from and what they are for",
          .takes = {.config = true, .output = true},
          .run = list};
}

Command profiles_show_command() {
  return {.name = "profiles show",
          .summary = "show a profile with everything that it extends worked in",
          .takes = {.config = true, .output = true},
          .options = {{.name = "profile",
                       .value = "NAME",
                       .help = "a profile's name, or a YAML file",
                       .positional = true,
                       .required = true}},
          .run = show_one};
}

Command profiles_validate_command() {
  return {.name = "profiles validate",
          .summary = "check a profile file; says file and line of what is wrong",
          .text = "What it extends is looked for beside it, then in the profile directories.",
          .takes = {.config = true},
          .options = {{.name = "file",
                       .value = "FILE",
                       .help = "a YAML file",
                       .positional = true,
                       .required = true}},
          .run = validate};
}

}  // namespace lk
