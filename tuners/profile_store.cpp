#include <algorithm>
#include <filesystem>
#include <set>

#include "base/json_write.hpp"
#include "tuners/profile_raw.hpp"

namespace lk {

namespace {

// Enough for any sensible tree of bases; a hostile one stops here.
constexpr int kMostLoads = 64;

// Level 0 is what is compiled in, level N the N-th directory.
struct Found {
  std::size_t level = 0;
  RawProfile profile;
};

std::string builtin_file(std::string_view name) {
  return "built-in:" + std::string(name) + ".yaml";
}

class Loader {
 public:
  explicit Loader(const std::vector<std::string>& directories) : directories_(directories) {}

  std::size_t levels() const { return directories_.size() + 1; }

  // The highest level below `below` that has the profile; an Error with an empty text if none.
  Result<Found> find(const std::string& name, std::size_t below) {
    for (std::size_t level = std::min(below, levels()); level-- > 0;) {
      auto node = read(name, level);
      if (!node && node.error().what.empty()) continue;
      if (!node) return node.error();
      const std::string file = level == 0 ? builtin_file(name) : path(name, level);
      auto raw = parse_raw_profile(*node, file);
      if (!raw) return raw.error();
      if (raw->name != name) {
        return yaml_error(
            file, 0, "the file is named \"" + name + "\", the profile in it \"" + raw->name + "\"");
      }
      return Found{level, *std::move(raw)};
    }
    return Error{};
  }

  // Works in the bases of `raw`, which stands on `level`.
  Result<RawProfile> resolve(const RawProfile& raw, std::size_t level) {
    const auto self = std::pair(raw.name, level);
    chain_.push_back(self);
    RawProfile merged;
    for (const auto& base : raw.extends) {
      auto resolved = resolve_base(raw, base, level);
      if (!resolved) return resolved;
      merge_profile(merged, *resolved);
    }
    merge_profile(merged, raw);
    chain_.pop_back();
    merged.name = raw.name;
    merged.description = raw.description;
    merged.file = raw.file;
    merged.extends = raw.extends;
    return merged;
  }

  std::vector<std::string> names() const {
    std::set<std::string> names;
    for (const auto& each : builtin_profiles()) names.emplace(each.name);
    for (const auto& directory : directories_) {
      std::error_code error;
      for (auto it = std::filesystem::directory_iterator(directory, error);
           !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
        const auto stem = it->path().stem().string();
        if (it->path().extension() == ".yaml" && is_profile_name(stem)) names.insert(stem);
      }
    }
    return {names.begin(), names.end()};
  }

 private:
  std::string path(const std::string& name, std::size_t level) const {
    return (std::filesystem::path(directories_[level - 1]) / (name + ".yaml")).string();
  }

  Result<YamlNode> read(const std::string& name, std::size_t level) const {
    if (level == 0) {
      for (const auto& each : builtin_profiles()) {
        if (each.name == name) return parse_yaml(each.text, builtin_file(name));
      }
      return Error{};
    }
    auto node = load_yaml(path(name, level));
    if (!node && (node.error().err == ENOENT || node.error().err == ENOTDIR)) return Error{};
    return node;
  }

  Result<RawProfile> resolve_base(const RawProfile& raw, const RawBase& base, std::size_t level) {
    if (++loads_ > kMostLoads) {
      return yaml_error(raw.file, base.line,
                        "extends more than " + std::to_string(kMostLoads) + " profiles in all");
    }
    // A profile may extend the one of the same name that it hides.
    const std::size_t below = base.name == raw.name ? level : levels();
    auto found = find(base.name, below);
    if (!found && found.error().what.empty()) {
      return yaml_unknown(raw.file, base.line, "profile", base.name, names());
    }
    if (!found) return found.error();
    const auto self = std::pair(base.name, found->level);
    if (std::find(chain_.begin(), chain_.end(), self) != chain_.end()) {
      std::string text = "extends goes in a circle: ";
      for (const auto& each : chain_) text += each.first + " -> ";
      return yaml_error(raw.file, base.line, text + base.name);
    }
    return resolve(found->profile, found->level);
  }

  const std::vector<std::string>& directories_;
  std::vector<std::pair<std::string, std::size_t>> chain_;
  int loads_ = 0;
};

}  // namespace

ProfileStore::ProfileStore(std::vector<std::string> directories)
    : directories_(std::move(directories)) {}

Result<Profile> ProfileStore::load(std::string_view name) const {
  Loader loader(directories_);
  auto found = is_profile_name(name) ? loader.find(std::string(name), loader.levels())
                                     : Result<Found>(Error{});
  if (!found && found.error().what.empty()) {
    auto error = yaml_unknown("", 0, "profile", std::string(name), loader.names());
    error.what.erase(0, 2);  // there is no file to name
    return error;
  }
  if (!found) return found.error();
  auto merged = loader.resolve(found->profile, found->level);
  if (!merged) return merged.error();
  return decode_profile(*merged);
}

Result<Profile> ProfileStore::parse(std::string_view text, const std::string& file) const {
  const auto node = parse_yaml(text, file);
  if (!node) return node.error();
  const auto raw = parse_raw_profile(*node, file);
  if (!raw) return raw.error();
  Loader loader(directories_);
  auto merged = loader.resolve(*raw, loader.levels());
  if (!merged) return merged.error();
  return decode_profile(*merged);
}

std::vector<ProfileStore::Entry> ProfileStore::list() const {
  std::vector<Entry> entries;
  Loader loader(directories_);
  for (const auto& name : loader.names()) {
    const auto found = loader.find(name, loader.levels());
    const auto profile = load(name);
    Entry entry{name, found ? found->profile.file : "", "", profile.ok()};
    entry.description = profile ? profile->description : profile.error().message();
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::string profile_json(const Profile& profile, int indent) {
  JsonWriter out(indent);
  out.begin_object();
  out.member("name", profile.name);
  out.member("description", profile.description);
  out.member("extends", profile.extends);
  out.member("file", profile.file);
  out.key("checks");
  out.begin_array();
  for (const auto& check : profile.checks) {
    out.begin_object();
    out.member("id", check.id);
    out.member("knob", check.knob);
    out.member("expect", check.expect ? std::optional(check.expect->text) : std::nullopt);
    out.member("where", check.where);
    out.member("severity", check.severity);
    out.member("tune", check.tune);
    out.member("enforce", check.enforce);
    out.member("why", check.why);
    out.member("origin", check.origin);
    out.end_object();
  }
  out.end_array();
  out.end_object();
  return out.take();
}

}  // namespace lk
