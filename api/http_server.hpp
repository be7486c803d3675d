// The HTTP server: sockets, event loop, connections. One thread; only stop() may come from others.
#pragma once

#include <chrono>
#include <memory>

#include "api/http_types.hpp"
#include "base/result.hpp"

namespace lk {

struct HttpLimits {
  std::size_t head_bytes = 8192;
  std::size_t chunk_bytes = 16384;             // one chunk header, and all trailers
  std::size_t bytes_per_second = 65536;        // the slowest client that is waited for
  std::chrono::milliseconds head{10000};       // from a request's first byte to the end of its head
  std::chrono::milliseconds idle{60000};       // between requests
  std::chrono::milliseconds transfer{10000};   // a body or a response; its size comes on top
  std::chrono::milliseconds work{30000};       // for Response::later, with those queued before it
  std::chrono::milliseconds linger{1000};      // after the last response, for the client to read it
  std::chrono::milliseconds heartbeat{15000};  // of a stream that has nothing to say
  std::chrono::milliseconds drain{10000};      // from stop() to the end of run()
  // Per listener, so that one flooded over TCP still answers on its Unix socket. At the limit the
  // connection that has been idle longest makes room.
  std::size_t connections = 16384;
  // Of one client (client_of()) per listener. Beyond it, its own idlest connection makes room; if
  // all of them are busy, a new one is told so and ends. 0: no bound.
  std::size_t client_connections = 0;
};

struct HttpCounters {
  std::uint64_t open = 0;
  std::uint64_t streams = 0;  // of those open
  std::uint64_t accepted = 0;
  std::uint64_t evicted = 0;
  std::uint64_t timed_out = 0;
  std::uint64_t over_limit = 0;
  std::uint64_t accept_errors = 0;
};

class HttpServer {
 public:
  HttpServer(HttpApp& app, HttpLimits limits);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  // Before run(). Clients may connect from here on; they are answered once run() runs.
  Status listen(const std::string& address);
  std::vector<std::string> addresses() const;  // with the real ports

  // Until stop(): then no connection is accepted, idle ones end at once, and those with a request
  // have HttpLimits::drain to finish.
  void run();
  // From any thread, and from a signal handler. A second call ends what is left at once.
  void stop();

  // From any thread: there may be more for Stream::next() to give.
  void wake_streams();

  HttpCounters counters() const;  // on the server's thread

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lk
