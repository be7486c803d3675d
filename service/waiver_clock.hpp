// WaiverClock: a thread that ends waivers at the moment when their time has come, also if the
// system's clock is set meanwhile.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "service/engine.hpp"

namespace lk {

class WaiverClock {
 public:
  explicit WaiverClock(Engine& engine);
  WaiverClock(const WaiverClock&) = delete;
  WaiverClock& operator=(const WaiverClock&) = delete;
  ~WaiverClock();

 private:
  void run();

  Engine& engine_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool look_ = true;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace lk
