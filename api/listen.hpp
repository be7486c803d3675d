// Sockets to listen on.
#pragma once

#include <cstdint>
#include <string>

#include "base/listen_address.hpp"

namespace lk {

struct ListeningSocket {
  int fd = -1;  // non-blocking, close-on-exec, listening; the caller closes it
  bool local = false;
  bool v6 = false;
  std::uint16_t port = 0;
  std::string address;      // with the real port: "127.0.0.1:41237", "unix:/run/x.sock"
  std::uint64_t inode = 0;  // of the socket file
};

// Refuses what may_listen() refuses. A socket file that a dead server left is replaced; one that
// somebody answers on, and what is no socket, is not.
Result<ListeningSocket> open_listener(const ListenAddress& address);

// Removes the listener's socket file, unless another server has put its own there.
void remove_socket_file(const ListeningSocket& listener);

}  // namespace lk
