// Lines to a descriptor that may be slow (standard error of a service: a pipe, a terminal that was
// stopped), from threads that must not wait for it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace lk {

class LineWriter {
 public:
  // The descriptor must stay open for good: a write that hangs outlives this object.
  explicit LineWriter(int fd, std::size_t most_waiting = 1024);
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;
  ~LineWriter();  // gives what waits half a second

  // Without line end. Never waits: where too many wait already, the line is dropped, and how many
  // were is told after those that waited.
  void write(std::string line);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace lk
