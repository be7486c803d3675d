#include "daemon/session.hpp"

#include <cerrno>

#include "base/yaml.hpp"
#include "daemon/terminal.hpp"

namespace lk {

Result<Config> configured(const Arguments& arguments) {
  const auto asked = arguments.value("config");
  auto config = load_config(asked.value_or(std::string(kConfigFile)), asked.has_value());
  if (!config) return config;
  if (const auto dir = arguments.value("state-dir")) {
    if (!dir->starts_with('/')) {
      return Error{"--state-dir must be an absolute path, not " + *dir, {}, 0};
    }
    config->state_dir = *dir;
  }
  if (const auto root = arguments.value("root")) {
    config->root = *root;
    if (!asked) {
      config->labels.clear();
      config->node_overrides.clear();
      config->waivers.clear();
    }
  }
  return config;
}

namespace {

// What was waived over the API counts here too, where this user may read it. Where there is no
// state directory, nothing was waived.
void load_waivers(Engine& engine) {
  const auto config = engine.config();
  const auto history = History::existing(config.state_dir);
  const auto status = history ? engine.load_waivers(**history) : Status(history.error());
  if (status || status.error().err == ENOENT) return;
  complain("waivers of the API are left out: " + status.error().message());
}

}  // namespace

Result<std::unique_ptr<Engine>> read_host(const Arguments& arguments) {
  auto config = configured(arguments);
  if (!config) return config.error();
  auto engine = std::make_unique<Engine>(*std::move(config), self_executable());
  if (auto status = engine->refresh({.ask_drives = arguments.has("ask-drives"), .texts = false});
      !status) {
    return status.error();
  }
  for (const auto& each : misconfigured(engine->snapshot()->inventory)) complain(each);
  return engine;
}

std::vector<std::string> misconfigured(const Inventory& inventory) {
  std::vector<std::string> out;
  for (const auto& probe : inventory.probes) {
    for (const auto& problem : probe.problems) {
      if (problem.field.starts_with("numa_nodes.")) out.push_back(problem.message);
    }
  }
  return out;
}

Audit audited(Engine& engine, const Profile& profile, const std::vector<std::string>& only) {
  load_waivers(engine);
  return run_audit(engine.snapshot()->inventory, profile, only, *engine.holding());
}

Result<Profile> profile_of_file(const Config& config, const std::string& file) {
  const auto text = read_yaml_file(file);
  if (!text) return text.error();
  auto directories = config.profile_dirs;
  const auto slash = file.rfind('/');
  directories.push_back(slash == std::string::npos ? "." : file.substr(0, slash + 1));
  return ProfileStore(directories).parse(*text, file);
}

Result<Profile> chosen_profile(const Config& config, const Arguments& arguments) {
  const auto name = arguments.value("profile").value_or(config.profile);
  if (name.find('/') == std::string::npos && !name.ends_with(".yaml")) {
    return ProfileStore(config.profile_dirs).load(name);
  }
  return profile_of_file(config, name);
}

int fail(const Error& error) {
  complain(error.message());
  return kFailed;
}

int nothing_read(const Engine& engine) {
  const auto root = engine.config().root;
  return fail(
      Error{"nothing could be read: neither CPUs, nodes, drives nor the kernel's version (" +
                (root == "/" ? "are /sys and /proc mounted and readable?"
                             : "is " + root + " a captured tree?") +
                ")",
            {},
            0});
}

int show(const std::string& text) {
  const auto status = print(text);
  return status ? kDone : fail(status.error());
}

}  // namespace lk
