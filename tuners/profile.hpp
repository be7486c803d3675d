// Profiles: what a host should be like, as YAML. design.md 4. Everything that is wrong with one is
// refused with file and line, and the nearest valid name where a name is unknown.
#pragma once

#include <map>

#include "tuners/knob.hpp"

namespace lk {

enum class Tune { never, safe, disruptive };
constexpr auto names(Tune) {
  return EnumNames<Tune, 3>{
      {{Tune::never, "never"}, {Tune::safe, "safe"}, {Tune::disruptive, "disruptive"}}};
}

// One check after `extends` and variables are worked in.
struct Check {
  std::string id;
  std::string knob;
  std::optional<Expectation> expect;         // absent: report only
  std::map<std::string, std::string> where;  // by key: globs, "|" between alternatives
  Severity severity = Severity::info;
  Tune tune = Tune::never;
  bool enforce = false;
  std::string why;     // empty: the knob's own
  std::string origin;  // "balanced.yaml:12": where the check was last said
};

struct Profile {
  std::string name;
  std::string description;
  std::vector<std::string> extends;
  std::string file;
  std::vector<Check> checks;
};

// The shipped profiles (profiles/*.yaml), compiled in, so that a program without installed files
// has them too: ADR 0009. builtin_profiles.cpp is generated, see CMakeLists.txt.
struct BuiltinProfile {
  std::string_view name;  // "balanced"
  std::string_view text;  // YAML
};
std::span<const BuiltinProfile> builtin_profiles();

// The profiles compiled in, then those of some directories; a later one of the same name wins over
// an earlier one. A built-in's file is "built-in:<name>.yaml".
class ProfileStore {
 public:
  ProfileStore() = default;
  explicit ProfileStore(std::vector<std::string> directories);

  // Names with file and description, sorted; broken ones too, with the error as description.
  struct Entry {
    std::string name;
    std::string file;
    std::string description;
    bool valid = false;
  };
  std::vector<Entry> list() const;
  // By name, `extends` resolved.
  Result<Profile> load(std::string_view name) const;
  // A file outside the directories, or text from a client; it may extend what is in the store.
  Result<Profile> parse(std::string_view text, const std::string& file) const;

 private:
  std::vector<std::string> directories_;
};

// For showing: the resolved profile as JSON.
std::string profile_json(const Profile& profile, int indent = 0);

}  // namespace lk
