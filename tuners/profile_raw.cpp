#include "tuners/profile_raw.hpp"

#include <algorithm>

namespace lk {

namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

bool is_variable_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), allowed);
}

Status read_extends(const YamlNode& node, RawProfile& profile) {
  const auto names = yaml_texts(node, profile.file, "extends");
  if (!names) return names.error();
  for (std::size_t i = 0; i < names->size(); ++i) {
    const int line = node.kind == YamlNode::Kind::list ? node.items[i].line : node.line;
    const auto& name = (*names)[i];
    if (!is_profile_name(name)) {
      return yaml_error(profile.file, line, "\"" + name + "\" is not a profile's name");
    }
    const auto same = [&](const RawBase& base) { return base.name == name; };
    if (std::any_of(profile.extends.begin(), profile.extends.end(), same)) {
      return yaml_error(profile.file, line, "\"" + name + "\" stands twice in extends");
    }
    profile.extends.push_back({name, line});
  }
  return ok_status();
}

Status read_variables(const YamlNode& node, RawProfile& profile) {
  if (node.kind != YamlNode::Kind::map) {
    return yaml_error(profile.file, node.line, "variables must be a map of names and values");
  }
  for (const auto& entry : node.entries) {
    if (!is_variable_name(entry.key)) {
      return yaml_error(profile.file, entry.line,
                        "\"" + entry.key + "\" is not a variable's name (a-z, 0-9, _)");
    }
    if (const auto text = yaml_text(entry.value, profile.file, "a variable"); !text) {
      return text.error();
    }
    profile.variables[entry.key] = {entry.value, profile.file, entry.line};
  }
  return ok_status();
}

// The id of a check: its own, else its knob.
Result<std::string> check_id(const YamlNode& node, const std::string& file) {
  for (const auto* key : {"id", "knob"}) {
    const YamlNode* value = node.find(key);
    if (value == nullptr) continue;
    auto text = yaml_text(*value, file, key);
    if (text && !is_profile_name(*text)) {
      return yaml_error(file, value->line, "\"" + *text + "\" is not a name (a-z, 0-9, . _ -)");
    }
    return text;
  }
  return yaml_error(file, node.line, "a check needs a knob or an id");
}

Status read_check(const YamlNode& node, RawProfile& profile) {
  static const std::vector<std::string> known{"id",   "knob",    "expect",   "where", "severity",
                                              "tune", "enforce", "disabled", "why"};
  if (auto keys = yaml_keys(node, known, profile.file, "a check"); !keys) return keys;
  auto id = check_id(node, profile.file);
  if (!id) return id.error();
  const auto same = [&](const RawCheck& check) { return check.id == *id; };
  const auto twin = std::find_if(profile.checks.begin(), profile.checks.end(), same);
  if (twin != profile.checks.end()) {
    return yaml_error(
        profile.file, node.line,
        "check \"" + *id + "\" stands twice; the first is on line " + std::to_string(twin->line));
  }
  RawCheck check{*id, profile.file, node.line, {}};
  for (const auto& entry : node.entries) {
    if (entry.key != "id") check.keys[entry.key] = {entry.value, profile.file, entry.line};
  }
  profile.checks.push_back(std::move(check));
  return ok_status();
}

Status read_checks(const YamlNode& node, RawProfile& profile) {
  if (node.kind != YamlNode::Kind::list) {
    return yaml_error(profile.file, node.line, "checks must be a list");
  }
  for (const auto& item : node.items) {
    if (auto status = read_check(item, profile); !status) return status;
  }
  return ok_status();
}

Status read_key(const YamlEntry& entry, RawProfile& profile) {
  if (entry.key == "extends") return read_extends(entry.value, profile);
  if (entry.key == "variables") return read_variables(entry.value, profile);
  if (entry.key == "checks") return read_checks(entry.value, profile);
  auto text = yaml_text(entry.value, profile.file, entry.key);
  if (!text) return text.error();
  if (entry.key == "description") {
    profile.description = *text;
  } else if (is_profile_name(*text)) {
    profile.name = *text;
  } else {
    return yaml_error(profile.file, entry.value.line,
                      "\"" + *text + "\" is not a profile's name (a-z, 0-9, . _ -)");
  }
  return ok_status();
}

}  // namespace

bool is_profile_name(std::string_view name) {
  constexpr std::size_t kMost = 64;
  return !name.empty() && name.size() <= kMost && name.front() != '.' && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), is_name_character);
}

Result<RawProfile> parse_raw_profile(const YamlNode& root, const std::string& file) {
  static const std::vector<std::string> known{"name", "description", "extends", "variables",
                                              "checks"};
  RawProfile profile;
  profile.file = file;
  if (auto status = yaml_keys(root, known, file, "a profile"); !status) return status.error();
  for (const auto& entry : root.entries) {
    if (auto status = read_key(entry, profile); !status) return status.error();
  }
  if (profile.name.empty()) return yaml_error(file, root.line, "the profile has no name");
  return profile;
}

void merge_profile(RawProfile& base, const RawProfile& over) {
  for (const auto& [name, value] : over.variables) base.variables[name] = value;
  for (const auto& check : over.checks) {
    const auto same = [&](const RawCheck& each) { return each.id == check.id; };
    const auto found = std::find_if(base.checks.begin(), base.checks.end(), same);
    if (found == base.checks.end()) {
      base.checks.push_back(check);
      continue;
    }
    found->file = check.file;
    found->line = check.line;
    for (const auto& [key, value] : check.keys) found->keys[key] = value;
  }
}

}  // namespace lk
