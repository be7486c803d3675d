// Configuration: /etc/lanekeeper/config.yaml, then config.d/*.yaml beside it in the order of their
// names; later ones win key by key (maps are merged, waivers by their ids, other lists replaced).
// Unknown keys, wrong types and
// keys that stand twice are refused with file, line and the nearest valid name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "tuners/waiver.hpp"

namespace lk {

constexpr std::string_view kConfigFile = "/etc/lanekeeper/config.yaml";

struct Config {
  std::string root = "/";            // or a captured tree: --root
  std::string profile = "balanced";  // the default profile
  std::vector<std::string> profile_dirs = {"/usr/share/lanekeeper/profiles",
                                           "/etc/lanekeeper/profiles"};  // later ones win
  std::vector<std::string> listen = {"127.0.0.1:7780"};  // "ADDR:PORT", "[V6]:PORT", "unix:/PATH"
  std::vector<std::string> allowed_hosts;                // Host header, beside loopback names
  std::string state_dir = "/var/lib/lanekeeper";
  std::string golden;  // an inventory to compare with; empty: none
  std::map<std::string, std::string> labels;
  std::map<std::string, std::int64_t> node_overrides;  // numa_nodes: by any name of a drive
  std::int64_t refresh_s = 60;                         // 1 to 86400
  bool refresh_is_set = false;  // a file says so; else what takes long to read is read more seldom
  std::vector<Waiver> waivers;  // by id
  bool access_log = false;      // one line for each HTTP request
  std::int64_t client_connections = 16000;  // of one client per listener; 0: all but a few
  // Requests of one client each second, and those whose answer has to be made (an audit against
  // another profile, a filtered one); 0: no bound.
  std::int64_t client_requests_per_s = 0;
  std::int64_t client_work_per_s = 200;
  std::vector<std::string> files;  // those it was read from
};

// Reads `file` and config.d/*.yaml beside it. A missing default file is no error; a missing `file`
// that was asked for by name (`must_exist`) is.
Result<Config> load_config(const std::string& file, bool must_exist);

}  // namespace lk
