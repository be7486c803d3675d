#include "base/listen_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <charconv>
#include <set>

namespace lk {

namespace {

bool is_loopback(const ListenAddress& address) {
  if (address.v6) {
    in6_addr v6{};
    return inet_pton(AF_INET6, address.host.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
  }
  in_addr v4{};
  return inet_pton(AF_INET, address.host.c_str(), &v4) == 1 && (ntohl(v4.s_addr) >> 24U) == 127;
}

}  // namespace

Result<ListenAddress> parse_listen(const std::string& text) {
  const auto refuse = [&](const std::string& why) {
    return Error{"\"" + text + "\" is no address to listen on: " + why, "", 0};
  };
  ListenAddress address;
  if (text.starts_with("unix:")) {
    address.local = true;
    address.path = text.substr(5);
    if (address.path.empty()) return refuse("unix: wants a path");
    if (address.path.find('\0') != std::string::npos) return refuse("the path holds a NUL");
    return address;
  }
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return refuse("ADDRESS:PORT or unix:PATH is wanted");
  const auto port = text.substr(colon + 1);
  const auto end = port.data() + port.size();
  const auto [stop, ec] = std::from_chars(port.data(), end, address.port);
  if (port.empty() || ec != std::errc{} || stop != end) {
    return refuse("the port must be a number from 0 to 65535");
  }
  address.host = text.substr(0, colon);
  if (address.host == "localhost") address.host = "127.0.0.1";
  if (address.host.size() > 2 && address.host.front() == '[' && address.host.back() == ']') {
    address.v6 = true;
    address.host = address.host.substr(1, address.host.size() - 2);
  }
  in6_addr scratch{};
  if (inet_pton(address.v6 ? AF_INET6 : AF_INET, address.host.c_str(), &scratch) != 1) {
    return refuse("the address must be numeric, as 127.0.0.1 or [::1], or localhost");
  }
  return address;
}

std::string to_text(const ListenAddress& address) {
  if (address.local) return "unix:" + address.path;
  const auto host = address.v6 ? "[" + address.host + "]" : address.host;
  return host + ":" + std::to_string(address.port);
}

Status may_listen(const ListenAddress& address) {
  const auto refuse = [&](const std::string& why) {
    return Error{"cannot listen on " + to_text(address) + ": " + why, "", 0};
  };
  if (!address.local) {
    if (is_loopback(address)) return ok_status();
    return refuse(
        "anybody on the network could read from there, and this version has neither TLS nor "
        "tokens; use 127.0.0.1, [::1] or a Unix socket");
  }
  constexpr std::size_t kMost = sizeof(sockaddr_un::sun_path) - 1;
  if (!address.path.starts_with('/')) return refuse("the path must be absolute");
  if (address.path.size() > kMost) {
    return refuse("the path is longer than " + std::to_string(kMost) + " bytes");
  }
  return ok_status();
}

Status check_listen(const std::vector<std::string>& addresses) {
  if (addresses.empty()) return Error{"there is no address to listen on", "", 0};
  std::set<std::string> seen;
  for (const auto& each : addresses) {
    const auto address = parse_listen(each);
    if (!address) return address.error();
    if (auto status = may_listen(*address); !status) return status;
    const bool unique = !address->local && address->port == 0;
    if (!unique && !seen.insert(to_text(*address)).second) {
      return Error{"cannot listen on " + to_text(*address) + " twice", "", 0};
    }
  }
  return ok_status();
}

}  // namespace lk
