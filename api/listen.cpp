#include "api/listen.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace lk {

namespace {

constexpr int kBacklog = 1024;

// Closes on every way out but release().
class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

Error cannot_listen(const std::string& on, int err) {
  return {"cannot listen on", on, err};
}
Error cannot_listen(const std::string& on, const std::string& why) {
  return {"cannot listen on " + on + ": " + why, "", 0};
}

// sockaddr is what the socket calls want, whatever is behind it.
template <class Address>
sockaddr* as_sockaddr(Address& address) {
  return reinterpret_cast<sockaddr*>(&address);
}

struct InetAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

InetAddress inet_address(const ListenAddress& address) {
  InetAddress out;
  if (address.v6) {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(address.port);
    inet_pton(AF_INET6, address.host.c_str(), &v6.sin6_addr);
    out.size = sizeof v6;
    std::memcpy(&out.storage, &v6, sizeof v6);
  } else {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(address.port);
    inet_pton(AF_INET, address.host.c_str(), &v4.sin_addr);
    out.size = sizeof v4;
    std::memcpy(&out.storage, &v4, sizeof v4);
  }
  return out;
}

std::uint16_t bound_port(int fd) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (::getsockname(fd, as_sockaddr(storage), &size) != 0) return 0;
  if (storage.ss_family == AF_INET6) {
    return ntohs(reinterpret_cast<sockaddr_in6*>(&storage)->sin6_port);
  }
  return ntohs(reinterpret_cast<sockaddr_in*>(&storage)->sin_port);
}

Result<ListeningSocket> open_tcp(const ListenAddress& address) {
  const auto name = to_text(address);
  auto inet = inet_address(address);
  Fd fd(::socket(address.v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (fd.get() < 0) return cannot_listen(name, errno);
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (address.v6) ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  if (::bind(fd.get(), as_sockaddr(inet.storage), inet.size) != 0 ||
      ::listen(fd.get(), kBacklog) != 0) {
    return cannot_listen(name, errno);
  }
  const auto port = bound_port(fd.get());
  auto bound = address;
  bound.port = port;
  return ListeningSocket{fd.release(), false, address.v6, port, to_text(bound), 0};
}

// Whether a server answers on the socket file; its errno if that cannot be said.
Result<bool> answers(const std::string& name, sockaddr_un& address) {
  const Fd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (probe.get() < 0) return cannot_listen(name, errno);
  if (::connect(probe.get(), as_sockaddr(address), sizeof address) == 0) return true;
  if (errno == EAGAIN || errno == EINPROGRESS) return true;  // its backlog is full
  if (errno == ECONNREFUSED) return false;
  return cannot_listen(name, errno);
}

Status make_room(const std::string& name, sockaddr_un& address) {
  struct stat status {};
  if (::lstat(&address.sun_path[0], &status) != 0) {
    return errno == ENOENT ? ok_status() : Status(cannot_listen(name, errno));
  }
  if (!S_ISSOCK(status.st_mode)) {
    return cannot_listen(name,
                         "the file exists and is no socket; remove it or choose another path");
  }
  auto busy = answers(name, address);
  if (!busy) return std::move(busy).error();
  if (*busy) return cannot_listen(name, "another server answers there");
  if (::unlink(&address.sun_path[0]) != 0) return cannot_listen(name, errno);
  return ok_status();
}

Result<ListeningSocket> open_local(const ListenAddress& address) {
  const auto name = to_text(address);
  sockaddr_un un{};
  un.sun_family = AF_UNIX;
  address.path.copy(&un.sun_path[0], address.path.size());
  if (auto status = make_room(name, un); !status) return std::move(status).error();
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (fd.get() < 0) return cannot_listen(name, errno);
  // Everybody may connect: what a client may do is decided for each request.
  if (::bind(fd.get(), as_sockaddr(un), sizeof un) != 0 || ::chmod(&un.sun_path[0], 0666) != 0 ||
      ::listen(fd.get(), kBacklog) != 0) {
    return cannot_listen(name, errno);
  }
  struct stat status {};
  if (::lstat(&un.sun_path[0], &status) != 0) return cannot_listen(name, errno);
  return ListeningSocket{fd.release(), true, false, 0, name, status.st_ino};
}

}  // namespace

Result<ListeningSocket> open_listener(const ListenAddress& address) {
  if (auto status = may_listen(address); !status) return std::move(status).error();
  return address.local ? open_local(address) : open_tcp(address);
}

void remove_socket_file(const ListeningSocket& listener) {
  if (!listener.local) return;
  const auto path = listener.address.substr(5);
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0 && status.st_ino == listener.inode) {
    ::unlink(path.c_str());
  }
}

}  // namespace lk
