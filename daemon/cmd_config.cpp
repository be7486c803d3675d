#include <algorithm>

#include "base/moment.hpp"
#include "base/text.hpp"
#include "daemon/session.hpp"
#include "daemon/terminal.hpp"

namespace lk {

namespace {

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const auto& text : texts) out += (out.empty() ? "" : ", ") + visible(text);
  return out.empty() ? "none" : out;
}

bool is_checked(const ProfileStore& profiles, const std::string& check) {
  for (const auto& entry : profiles.list()) {
    const auto profile = entry.valid ? profiles.load(entry.name) : Result<Profile>(Error{});
    if (!profile) continue;
    if (std::any_of(profile->checks.begin(), profile->checks.end(),
                    [&](const Check& each) { return each.id == check; })) {
      return true;
    }
  }
  return false;
}

std::string waiver_line(const Waiver& waiver, const ProfileStore& profiles) {
  const auto where = waiver.target ? *waiver.target : "hosts with " + waiver.label.value_or("");
  std::string out = waiver.check + " on " + where + " until " + waiver.expires;
  if (waiver.expires_at <= now_seconds()) out += " (expired)";
  if (!is_checked(profiles, waiver.check)) out += " (no profile has this check)";
  return "waiver:        " + visible(out) + '\n';
}

int run(const Arguments& arguments) {
  const auto asked = arguments.value("file");
  const auto file = asked.value_or(std::string(kConfigFile));
  const auto config = load_config(file, asked.has_value());
  if (!config) return fail(config.error());
  const auto profile = ProfileStore(config->profile_dirs).load(config->profile);
  if (!profile) return fail(profile.error());
  std::string out = config->files.empty() ? visible(file) + " does not exist; built-in defaults\n"
                                          : "valid: " + joined(config->files) + '\n';
  out += "profile:       " + visible(config->profile) + '\n';
  out += "profile_dirs:  " + joined(config->profile_dirs) + '\n';
  out += "listen:        " + joined(config->listen) + '\n';
  out += "allowed_hosts: " + joined(config->allowed_hosts) + '\n';
  out += "state_dir:     " + visible(config->state_dir) + '\n';
  out += "refresh_s:     " + std::to_string(config->refresh_s) + '\n';
  out += "access_log:    " + std::string(config->access_log ? "true" : "false") + '\n';
  for (const auto& [name, bound] : {std::pair("connections", config->client_connections),
                                    std::pair("requests/s", config->client_requests_per_s),
                                    std::pair("work/s", config->client_work_per_s)}) {
    out += "of one client: " + (bound == 0 ? "any" : "at most " + std::to_string(bound)) + ' ' +
           name + '\n';
  }
  for (const auto& [name, value] : config->labels) {
    out += "label:         " + visible(name) + '=' + visible(value) + '\n';
  }
  for (const auto& [drive, node] : config->node_overrides) {
    out += "numa_nodes:    " + visible(drive) + " on node " + std::to_string(node) + '\n';
  }
  const ProfileStore profiles(config->profile_dirs);
  for (const auto& each : config->waivers) out += waiver_line(each, profiles);
  return show(out);
}

}  // namespace

Command config_check_command() {
  return {.name = "config check",
          .summary = "check the configuration; says file and line of what is wrong",
          .text = "config.d/*.yaml beside the file are read after it, in the order of their names.",
          .options = {{.name = "file",
                       .value = "FILE",
                       .help = "[/etc/lanekeeper/config.yaml]",
                       .positional = true}},
          .run = run};
}

}  // namespace lk
