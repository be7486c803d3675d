#include "api/server.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>

#include "api/dispatch.hpp"

namespace lk {

namespace {

// The reader, profiles and the journal need descriptors too.
constexpr std::size_t kReservedFds = 64;
constexpr std::size_t kFewestConnections = 8;

HttpLimits limits_for(std::size_t listeners, std::size_t client_connections) {
  HttpLimits limits;
  rlimit fds{};
  if (::getrlimit(RLIMIT_NOFILE, &fds) != 0 || listeners == 0) return limits;
  const auto all = static_cast<std::size_t>(fds.rlim_cur);
  const auto share = (all > kReservedFds ? all - kReservedFds : 0) / listeners;
  limits.connections = std::clamp(share, kFewestConnections, limits.connections);
  // One client alone never has a whole listener.
  const auto most = limits.connections - limits.connections / 64 - 1;
  limits.client_connections = client_connections == 0 ? most : std::min(client_connections, most);
  return limits;
}

void to_standard_error(const std::string& line) {
  std::fprintf(stderr, "lanekeeper: %s\n", line.c_str());
}

}  // namespace

class Server::Impl {
 public:
  Impl(Engine& engine, ServerOptions options)
      : options_(std::move(options)),
        api_(engine),
        dispatcher_(routes(), api_,
                    {options_.allowed_hosts, options_.client_rates, options_.access_log},
                    options_.log ? options_.log : to_standard_error) {
    if (options_.refresh) api_.request_refresh = options_.refresh;
    make_http();
  }

  Status bind() {
    for (const auto& each : options_.listen) {
      if (auto status = http_->listen(each); !status) {
        make_http();
        return status;
      }
    }
    return ok_status();
  }

  ~Impl() { api_.engine.events().on_add(nullptr); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  HttpServer& http() { return *http_; }

 private:
  void make_http() {
    http_ = std::make_unique<HttpServer>(
        dispatcher_, limits_for(options_.listen.size(), options_.client_connections));
    api_.http_counters = [this] { return http_->counters(); };
    api_.engine.events().on_add([this] { http_->wake_streams(); });
  }

  ServerOptions options_;
  Api api_;
  Dispatcher dispatcher_;
  std::unique_ptr<HttpServer> http_;
};

Server::Server(Engine& engine, ServerOptions options)
    : impl_(std::make_unique<Impl>(engine, std::move(options))) {}
Server::~Server() = default;

Status Server::bind() {
  return impl_->bind();
}
std::vector<std::string> Server::addresses() const {
  return impl_->http().addresses();
}
void Server::run() {
  impl_->http().run();
}
void Server::stop() {
  impl_->http().stop();
}

}  // namespace lk
