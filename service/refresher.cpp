#include "service/refresher.hpp"

namespace lk {

Refresher::Refresher(Engine& engine, std::function<void(const Status&)> done)
    : engine_(engine), done_(std::move(done)), thread_([this] { run(); }) {}

Refresher::~Refresher() {
  stop(std::chrono::milliseconds(0));
  thread_.join();
}

bool Refresher::stop(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  stop_ = true;
  wake_.notify_all();
  return wake_.wait_for(lock, patience, [this] { return ended_; });
}

void Refresher::request() {
  {
    const std::lock_guard lock(mutex_);
    wanted_ = true;
  }
  wake_.notify_all();
}

void Refresher::run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    if (!wanted_) {
      const auto pause = std::chrono::seconds(engine_.config().refresh_s);
      wake_.wait_for(lock, pause, [this] { return wanted_ || stop_; });
      if (stop_) break;
    }
    wanted_ = false;
    lock.unlock();
    const auto status = engine_.refresh();
    // Made here and kept, so that no request waits for it. What is wrong, requests will say.
    if (status) static_cast<void>(engine_.audit(engine_.config().profile));
    if (done_) done_(status);
    lock.lock();
  }
  ended_ = true;
  wake_.notify_all();
}

}  // namespace lk
