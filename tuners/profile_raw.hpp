// A profile file as it was written, before `extends` and variables are worked in.
#pragma once

#include "base/yaml.hpp"
#include "tuners/profile.hpp"

namespace lk {

struct RawValue {
  YamlNode node;
  std::string file;
  int line = 0;
};

struct RawCheck {
  std::string id;
  std::string file;
  int line = 0;
  std::map<std::string, RawValue> keys;
};

struct RawBase {
  std::string name;
  int line = 0;
};

struct RawProfile {
  std::string name;
  std::string description;
  std::string file;
  std::vector<RawBase> extends;
  std::map<std::string, RawValue> variables;
  std::vector<RawCheck> checks;
};

// "[a-z0-9][a-z0-9._-]*", at most 64 characters.
bool is_profile_name(std::string_view name);

Result<RawProfile> parse_raw_profile(const YamlNode& root, const std::string& file);

// Works `over` into `base`: checks by id, their keys and the variables one by one, later wins.
void merge_profile(RawProfile& base, const RawProfile& over);

// Variables are replaced, texts become values, and what no knob can answer is refused.
Result<Profile> decode_profile(const RawProfile& merged);

}  // namespace lk
