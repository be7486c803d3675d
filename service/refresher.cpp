#include "service/refresher.hpp"

#include <algorithm>

namespace lk {

namespace {

using std::chrono::milliseconds;

// However large the host: reading it takes 1/kBusy of the time at most where devices report changes
// without end; kBurst times it may be read at once.
constexpr int kBusy = 8;
constexpr int kBurst = 5;
// One that waited for a hung device until its deadline says nothing about the cost.
constexpr milliseconds kMostTaken{2000};

}  // namespace

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
  milliseconds taken{0};
  milliseconds debt{0};  // time that was spent reading and not yet rested for
  auto ended = std::chrono::steady_clock::now();
  while (!stop_) {
    wake_.wait_until(lock, ended + engine_.period(), [this] { return wanted_ || stop_; });
    wake_.wait_until(lock, ended + kBusy * (debt - kBurst * taken), [this] { return stop_; });
    if (stop_) break;
    wanted_ = false;
    lock.unlock();
    const auto start = std::chrono::steady_clock::now();
    debt -= std::min(debt, std::chrono::duration_cast<milliseconds>(start - ended) / kBusy);
    const auto status = engine_.refresh({.with_audit = true});
    if (done_) done_(status);
    ended = std::chrono::steady_clock::now();
    taken = std::min(std::chrono::duration_cast<milliseconds>(ended - start), kMostTaken);
    debt += taken;
    lock.lock();
  }
  ended_ = true;
  wake_.notify_all();
}

}  // namespace lk
