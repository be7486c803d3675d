#include "base/line_writer.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "base/child.hpp"

namespace lk {

struct LineWriter::State {
  State(int descriptor, std::size_t most_waiting) : fd(descriptor), most(most_waiting) {}

  const int fd;
  const std::size_t most;
  std::mutex mutex;
  std::condition_variable wake;
  std::deque<std::string> waiting;
  std::size_t dropped = 0;
  bool stop = false;
  bool ended = false;

  void run() {
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [this] { return stop || !waiting.empty(); });
      if (waiting.empty()) break;
      std::deque<std::string> lines;
      lines.swap(waiting);
      const auto lost = std::exchange(dropped, 0);
      lock.unlock();
      for (const auto& line : lines) write_all(fd, line + '\n');
      if (lost > 0) {
        write_all(fd, "lanekeeper: " + std::to_string(lost) + " lines were dropped here\n");
      }
      lock.lock();
    }
    ended = true;
    wake.notify_all();
  }
};

LineWriter::LineWriter(int fd, std::size_t most_waiting)
    : state_(std::make_shared<State>(fd, most_waiting)) {
  std::thread([state = state_] { state->run(); }).detach();
}

LineWriter::~LineWriter() {
  std::unique_lock lock(state_->mutex);
  state_->stop = true;
  state_->wake.notify_all();
  state_->wake.wait_for(lock, std::chrono::milliseconds(500), [this] { return state_->ended; });
}

void LineWriter::write(std::string line) {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->waiting.size() >= state_->most) {
      ++state_->dropped;
      return;
    }
    state_->waiting.push_back(std::move(line));
  }
  state_->wake.notify_all();
}

}  // namespace lk
