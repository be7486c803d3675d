// The access log: one line for each request.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "api/http_types.hpp"

namespace lk {

// `127.0.0.1 "GET /v1/audit?only=x" 200 4711 bytes 1.3 ms route=/v1/audit id=5f0c1d2e-17`; on a
// Unix socket "uid 0 pid 123" stands in place of the address. What the client sent is visible().
std::string access_line(const Exchanged& exchanged);

// At most some lines a second; how many were left out is told with the next one.
class AccessLog {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr int kLinesPerSecond = 200;

  explicit AccessLog(std::function<void(const std::string&)> write) : write_(std::move(write)) {}

  void add(const Exchanged& exchanged, Time now);

 private:
  std::function<void(const std::string&)> write_;
  Time second_;  // when the second that is counted began
  int lines_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace lk
