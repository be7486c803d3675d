#include "service/waiver_clock.hpp"

#include <algorithm>
#include <chrono>

#include "base/moment.hpp"

namespace lk {

namespace {

// A moment on the system's clock that no wait overflows on.
constexpr std::int64_t kNever = std::int64_t{1} << 33U;

}  // namespace

WaiverClock::WaiverClock(Engine& engine) : engine_(engine), thread_([this] { run(); }) {
  engine_.on_waivers([this] {
    {
      const std::lock_guard lock(mutex_);
      look_ = true;
    }
    wake_.notify_all();
  });
}

WaiverClock::~WaiverClock() {
  engine_.on_waivers(nullptr);
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void WaiverClock::run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    look_ = false;
    lock.unlock();
    const auto next = engine_.end_waivers(now_seconds());
    lock.lock();
    const std::chrono::system_clock::time_point end{
        std::chrono::seconds(std::min(next.value_or(kNever), kNever))};
    wake_.wait_until(lock, end, [this] { return look_ || stop_; });
  }
}

}  // namespace lk
