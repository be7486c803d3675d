// Addresses to listen on, as --listen and the configuration name them. `config check` and `serve`
// refuse the same ones, because both ask here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace lk {

// "127.0.0.1:7780", "[::1]:7780", "localhost:0" or "unix:/run/lanekeeper/api.sock".
struct ListenAddress {
  bool local = false;  // a Unix socket
  bool v6 = false;
  std::string host;  // numeric, without brackets
  std::uint16_t port = 0;
  std::string path;
};

Result<ListenAddress> parse_listen(const std::string& text);
std::string to_text(const ListenAddress& address);

// Refuses what is beyond loopback: without TLS and tokens anybody could read from there. Also
// socket paths that no socket can have, and those that depend on the current directory.
Status may_listen(const ListenAddress& address);

// The whole list: at least one, each of them good, none twice (port 0 is another one each time).
Status check_listen(const std::vector<std::string>& addresses);

}  // namespace lk
