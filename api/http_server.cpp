#include "api/http_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <list>
#include <map>

#include "api/client_limits.hpp"
#include "api/http_session.hpp"
#include "api/listen.hpp"

namespace lk {

using boost::system::error_code;
using Acceptor = asio::basic_socket_acceptor<asio::generic::stream_protocol>;

namespace {

constexpr std::chrono::milliseconds kFirstBackOff{10};
constexpr std::chrono::milliseconds kLastBackOff{1000};

// Nothing is pending any more, or what was pending is gone: the listener is well.
bool is_transient(int err) {
  return err == EAGAIN || err == ECONNABORTED || err == EPROTO || err == EINTR || err == ECONNRESET;
}

// As they were when the client connected (SO_PEERCRED is, too). Empty where the kernel does not say
// (before 4.13).
std::vector<std::uint32_t> groups_of(int fd) {
  std::vector<gid_t> groups(32);
  for (int tries = 0; tries < 2; ++tries) {
    auto size = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
    const int status = ::getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size);
    const int err = errno;
    groups.resize(size / sizeof(gid_t));
    if (status == 0) return {groups.begin(), groups.end()};
    if (err != ERANGE) break;  // else `size` is what it takes
  }
  return {};
}

Peer identify(Socket& socket, const ListeningSocket& listener) {
  Peer peer;
  peer.local = listener.local;
  peer.port = listener.port;
  if (peer.local) {
    ucred credentials{};
    socklen_t size = sizeof credentials;
    if (::getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0) {
      peer.uid = credentials.uid;
      peer.gid = credentials.gid;
      peer.pid = credentials.pid;
    }
    peer.groups = groups_of(socket.native_handle());
    return peer;
  }
  const int on = 1;
  ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(socket.native_handle(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  sockaddr_storage from{};
  socklen_t size = sizeof from;
  if (::getpeername(socket.native_handle(), reinterpret_cast<sockaddr*>(&from), &size) == 0) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    const void* address =
        from.ss_family == AF_INET6
            ? static_cast<void*>(&reinterpret_cast<sockaddr_in6*>(&from)->sin6_addr)
            : static_cast<void*>(&reinterpret_cast<sockaddr_in*>(&from)->sin_addr);
    if (inet_ntop(from.ss_family, address, text.data(), text.size())) peer.address = text.data();
  }
  return peer;
}

}  // namespace

class HttpServer::Impl {
 public:
  Impl(HttpApp& app, HttpLimits limits)
      : app_(app), limits_(limits), wake_(loop_), drain_timer_(loop_) {
    wake_fd_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wake_fd_ >= 0) wake_.assign(wake_fd_);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() { close_listeners(); }

  Status listen(const std::string& text);
  std::vector<std::string> addresses() const;
  void run();
  void stop() const;
  void wake_streams();
  HttpCounters counters() const { return counters_; }

 private:
  using Sessions = std::list<std::shared_ptr<HttpSession>>;
  struct Listener {
    Listener(asio::io_context& loop, ListeningSocket from)
        : socket(std::move(from)), acceptor(loop), room(loop) {}
    asio::generic::stream_protocol protocol() const {
      return {socket.local ? AF_UNIX : socket.v6 ? AF_INET6 : AF_INET, 0};
    }

    ListeningSocket socket;
    Acceptor acceptor;
    asio::steady_timer room;  // cancelled when a connection ends
    Sessions sessions;
    std::map<std::string, std::size_t> clients;  // connections by client_of()
  };

  asio::awaitable<void> accept_from(Listener& listener);
  asio::awaitable<void> pause(Listener& listener, std::chrono::milliseconds time);
  void start(Listener& listener, Socket socket);
  bool make_room(Listener& listener, const std::string* client = nullptr);
  bool has_room_for(Listener& listener, const Peer& peer);
  void watch_stop();
  void drain();
  void end_all();
  void close_listeners();
  void finish_if_empty();

  HttpApp& app_;
  HttpLimits limits_;
  HttpCounters counters_;
  asio::io_context loop_{1};
  asio::posix::stream_descriptor wake_;
  int wake_fd_ = -1;
  asio::steady_timer drain_timer_;
  bool draining_ = false;
  std::atomic<bool> waking_{false};
  std::list<Listener> listeners_;
  asio::thread_pool worker_{1};  // ends before the loop that it posts to
};

Status HttpServer::Impl::listen(const std::string& text) {
  auto address = parse_listen(text);
  if (!address) return std::move(address).error();
  auto socket = open_listener(*address);
  if (!socket) return std::move(socket).error();
  auto& listener = listeners_.emplace_back(loop_, *socket);
  error_code error;
  listener.acceptor.assign(listener.protocol(), socket->fd, error);
  if (error) return Error{"cannot listen on", text, error.value()};
  return ok_status();
}

std::vector<std::string> HttpServer::Impl::addresses() const {
  std::vector<std::string> out;
  for (const auto& each : listeners_) out.push_back(each.socket.address);
  return out;
}

void HttpServer::Impl::run() {
  watch_stop();
  for (auto& each : listeners_) {
    asio::co_spawn(loop_, accept_from(each), [this](const std::exception_ptr& error) {
      if (error) app_.log("internal error: an accept loop ended");
    });
  }
  loop_.run();
}

// Nothing but write(2): it may run in a signal handler.
void HttpServer::Impl::stop() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_fd_, &one, sizeof one);
}

void HttpServer::Impl::watch_stop() {
  wake_.async_wait(asio::posix::stream_descriptor::wait_read, [this](error_code error) {
    if (error) return;
    std::uint64_t times = 0;
    [[maybe_unused]] const auto got = ::read(wake_fd_, &times, sizeof times);
    if (draining_ || times > 1) {
      draining_ = true;
      close_listeners();
      end_all();
    } else {
      drain();
    }
    watch_stop();
    finish_if_empty();
  });
}

// A burst of events wakes each stream once.
void HttpServer::Impl::wake_streams() {
  if (waking_.exchange(true)) return;
  asio::post(loop_, [this] {
    waking_ = false;
    for (auto& listener : listeners_) {
      for (const auto& each : listener.sessions) each->wake();
    }
  });
}

asio::awaitable<void> HttpServer::Impl::accept_from(Listener& listener) {
  auto back_off = kFirstBackOff;
  while (!draining_) {
    error_code error;
    co_await listener.acceptor.async_wait(Acceptor::wait_read,
                                          asio::redirect_error(asio::use_awaitable, error));
    if (draining_ || error) co_return;
    const int fd = ::accept4(listener.socket.fd, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    const int err = fd < 0 ? errno : 0;
    if (fd < 0 && is_transient(err)) continue;
    if (fd < 0) {
      // Out of descriptors or memory: the pending connection stays, so that accepting again at
      // once would spin.
      if (++counters_.accept_errors % 100 == 1) {
        app_.log("cannot accept a connection on " + listener.socket.address + ": " +
                 errno_name(err));
      }
      make_room(listener);
      co_await pause(listener, back_off);
      back_off = std::min(back_off * 2, kLastBackOff);
      continue;
    }
    back_off = kFirstBackOff;
    ++counters_.accepted;
    Socket socket(loop_);
    socket.assign(listener.protocol(), fd, error);
    if (error) {
      ::close(fd);
      continue;
    }
    while (!draining_ && listener.sessions.size() >= limits_.connections && !make_room(listener)) {
      co_await pause(listener, kLastBackOff);
    }
    start(listener, std::move(socket));
  }
}

asio::awaitable<void> HttpServer::Impl::pause(Listener& listener, std::chrono::milliseconds time) {
  listener.room.expires_after(time);
  error_code ignored;
  co_await listener.room.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

void HttpServer::Impl::start(Listener& listener, Socket socket) {
  auto peer = identify(socket, listener.socket);
  peer.over_limit = !has_room_for(listener, peer);
  if (peer.over_limit) ++counters_.over_limit;
  auto session =
      std::make_shared<HttpSession>(std::move(socket), std::move(peer),
                                    SessionScope{app_, limits_, counters_, draining_, worker_});
  const auto place = listener.sessions.insert(listener.sessions.end(), session);
  ++counters_.open;
  ++listener.clients[session->client()];
  asio::co_spawn(loop_, session->run(),
                 [this, &listener, place, session](const std::exception_ptr& error) {
                   if (error) {
                     session->end();
                     app_.log("internal error: a connection ended in an exception");
                   }
                   listener.sessions.erase(place);
                   const auto client = listener.clients.find(session->client());
                   if (--client->second == 0) listener.clients.erase(client);
                   --counters_.open;
                   listener.room.cancel();
                   finish_if_empty();
                 });
}

bool HttpServer::Impl::has_room_for(Listener& listener, const Peer& peer) {
  if (limits_.client_connections == 0) return true;
  const auto client = client_of(peer);
  const auto has = listener.clients.find(client);
  return has == listener.clients.end() || has->second < limits_.client_connections ||
         make_room(listener, &client);
}

// Ends the connection that has waited longest for its client; of `client` alone, if that is given.
// False if every one is busy.
bool HttpServer::Impl::make_room(Listener& listener, const std::string* client) {
  std::shared_ptr<HttpSession> oldest;
  for (const auto& each : listener.sessions) {
    if (client != nullptr && each->client() != *client) continue;
    if (each->expendable() && (!oldest || each->since() < oldest->since())) oldest = each;
  }
  if (!oldest) return false;
  oldest->end();
  ++counters_.evicted;
  return true;
}

void HttpServer::Impl::drain() {
  draining_ = true;
  close_listeners();
  for (auto& listener : listeners_) {
    for (const auto& each : listener.sessions) {
      const auto phase = each->phase();
      if (phase == HttpSession::Phase::idle || phase == HttpSession::Phase::streaming) each->end();
    }
  }
  drain_timer_.expires_after(limits_.drain);
  drain_timer_.async_wait([this](error_code error) {
    if (!error) end_all();
  });
}

void HttpServer::Impl::end_all() {
  for (auto& listener : listeners_) {
    for (const auto& each : listener.sessions) each->end();
  }
}

void HttpServer::Impl::close_listeners() {
  for (auto& each : listeners_) {
    if (!each.acceptor.is_open()) continue;
    error_code ignored;
    each.acceptor.close(ignored);
    each.room.cancel();
    remove_socket_file(each.socket);
  }
}

// run() returns once nothing is left to wait for.
void HttpServer::Impl::finish_if_empty() {
  if (!draining_) return;
  const bool empty = std::all_of(listeners_.begin(), listeners_.end(),
                                 [](const Listener& each) { return each.sessions.empty(); });
  if (!empty) return;
  drain_timer_.cancel();
  error_code ignored;
  wake_.cancel(ignored);
}

HttpServer::HttpServer(HttpApp& app, HttpLimits limits)
    : impl_(std::make_unique<Impl>(app, limits)) {}
HttpServer::~HttpServer() = default;

Status HttpServer::listen(const std::string& address) {
  return impl_->listen(address);
}
std::vector<std::string> HttpServer::addresses() const {
  return impl_->addresses();
}
void HttpServer::run() {
  impl_->run();
}
void HttpServer::stop() {
  impl_->stop();
}
void HttpServer::wake_streams() {
  impl_->wake_streams();
}
HttpCounters HttpServer::counters() const {
  return impl_->counters();
}

}  // namespace lk
