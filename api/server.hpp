// The API server, whole: listeners, event loop and routes over one Engine.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/client_limits.hpp"
#include "base/result.hpp"

namespace lk {

class Engine;

struct ServerOptions {
  std::vector<std::string> listen;              // "127.0.0.1:7780", "[::1]:0", "unix:/run/x.sock"
  std::vector<std::string> allowed_hosts;       // beside loopback names; without port
  std::function<void(const std::string&)> log;  // one line; must not block; empty: standard error
  bool access_log = false;                      // each request, to `log`
  std::size_t client_connections = 0;           // of one client; 0: all but a few
  ClientRates client_rates = {};
  std::function<void()> refresh = {};  // what POST /v1/inventory/refresh asks for
};

class Server {
 public:
  // `engine` must outlive it.
  Server(Engine& engine, ServerOptions options);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  // Opens every listener; on an Error none stays open. Addresses beyond loopback are refused.
  // From here on clients connect, and are answered once run() runs.
  Status bind();
  std::vector<std::string> addresses() const;  // with the real ports

  // Serves on this thread until stop(); then requests under way have 10 s to finish.
  void run();
  // From any thread and from signal handlers; again: ends what is left at once.
  void stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lk
