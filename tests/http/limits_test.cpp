#include <doctest/doctest.h>

#include "api/access_log.hpp"
#include "api/client_limits.hpp"
#include "api/route.hpp"

using namespace lk;
using namespace std::chrono_literals;

namespace {

Peer tcp(std::string address) {
  Peer peer;
  peer.address = std::move(address);
  return peer;
}

Peer user(std::uint32_t uid) {
  Peer peer;
  peer.local = true;
  peer.uid = uid;
  peer.pid = 77;
  return peer;
}

const ClientLimits::Time kStart{1000h};

int allowed(ClientLimits& limits, const Peer& peer, ClientLimits::Time now, int times) {
  int count = 0;
  for (int i = 0; i < times; ++i) count += limits.may_ask(peer, now) ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("limits: no bound, no account") {
  ClientLimits limits({});
  CHECK(allowed(limits, tcp("::1"), kStart, 10000) == 10000);
  CHECK(limits.may_work(tcp("::1"), kStart));
  CHECK(limits.clients() == 0);
}

TEST_CASE("limits: each client has its own, and saves up one second") {
  ClientLimits limits({.requests_per_s = 10, .work_per_s = 2});
  CHECK(allowed(limits, tcp("127.0.0.1"), kStart, 50) == 10);
  CHECK(allowed(limits, tcp("127.0.0.2"), kStart, 50) == 10);
  CHECK(allowed(limits, user(0), kStart, 50) == 10);
  CHECK(allowed(limits, user(1000), kStart, 50) == 10);
  CHECK(allowed(limits, user(1000), kStart + 100ms, 50) == 1);
  CHECK(allowed(limits, user(1000), kStart + 1h, 50) == 10);
  CHECK(limits.may_work(user(0), kStart));
  CHECK(limits.may_work(user(0), kStart));
  CHECK_FALSE(limits.may_work(user(0), kStart));
  CHECK(limits.may_work(user(0), kStart + 600ms));
}

TEST_CASE("limits: a poller at the rate it may have is never refused") {
  ClientLimits limits({.requests_per_s = 10, .work_per_s = 10});
  for (int i = 0; i < 1000; ++i) {
    const auto now = kStart + i * 100ms;
    REQUIRE(limits.may_ask(user(0), now));
    REQUIRE(limits.may_work(user(0), now));
  }
}

TEST_CASE("limits: clients that are silent are forgotten") {
  ClientLimits limits({.requests_per_s = 10, .work_per_s = 2});
  for (std::uint32_t i = 0; i < 5000; ++i) limits.may_ask(user(i), kStart + i * 10ms);
  CHECK(limits.clients() < 1100);
}

TEST_CASE("access log: one harmless line for each request") {
  Request request;
  request.method = Method::get;
  request.target = "/v1/x?\"\\\x1b[2J\xff\n";
  request.id = "ab-1";
  CHECK(access_line({&request, user(1000), 404, 4711, 0.00126}) ==
        "uid 1000 pid 77 \"GET /v1/x?\\\"\\\\?[2J??\" 404 4711 bytes 1.3 ms route=none id=ab-1");
  request.target = "/livez";
  for (const auto& each : routes()) {
    if (each.pattern == "/livez") request.route = &each;
  }
  CHECK(access_line({&request, tcp("127.0.0.1"), 200, 5, 2}) ==
        "127.0.0.1 \"GET /livez\" 200 5 bytes 2000.0 ms route=/livez id=ab-1");
  CHECK(access_line({nullptr, tcp("::1"), 400, 9, 0}) == "::1 \"-\" 400 9 bytes 0.0 ms route=none");
}

TEST_CASE("access log: so many lines a second, the others are counted") {
  std::vector<std::string> lines;
  AccessLog log([&](const std::string& line) { lines.push_back(line); });
  const auto peer = tcp("::1");
  for (int i = 0; i < 1000; ++i) log.add({nullptr, peer, 400, 9, 0}, kStart);
  CHECK(lines.size() == AccessLog::kLinesPerSecond);
  log.add({nullptr, peer, 400, 9, 0}, kStart + 1s);
  REQUIRE(lines.size() == AccessLog::kLinesPerSecond + 2);
  CHECK(lines[AccessLog::kLinesPerSecond] == "access: 800 requests are not listed");
}
