// Configuration: /etc/lanekeeper/config.yaml, then config.d/*.yaml in order, later ones win key by
// key. Unknown keys and wrong types are refused with file, line and the nearest valid name.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace lk {

struct Config {
  std::string root = "/";                              // or a captured tree: --root
  std::string profile = "balanced";                    // the default profile
  std::vector<std::string> profile_dirs;               // later ones win
  std::vector<std::string> listen;                     // "127.0.0.1:7780", "unix:/run/..."
  std::vector<std::string> allowed_hosts;              // Host header, beside loopback names
  std::string state_dir = "/var/lib/lanekeeper";
  std::map<std::string, std::string> labels;
  std::map<std::string, std::int64_t> node_overrides;  // by PCI address or serial
  std::int64_t refresh_s = 60;
};

// Reads `file` (and `file`'s sibling directory config.d). A missing default file is no error; a
// missing `file` that was asked for by name is.
Result<Config> load_config(const std::string& file, bool must_exist);

}  // namespace lk
