// Refresher: a thread that reads the host again at once, every refresh_s and on request, so that
// no caller waits for a host whose devices do not answer. A host that takes long to read is read
// more seldom.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <thread>

#include "service/engine.hpp"

namespace lk {

class Refresher {
 public:
  // `done` is called on the thread after each refresh, with its outcome; it may be empty.
  Refresher(Engine& engine, std::function<void(const Status&)> done);
  Refresher(const Refresher&) = delete;
  Refresher& operator=(const Refresher&) = delete;
  ~Refresher();  // waits for a refresh under way to end

  void request();  // one as soon as possible; several before it begins are one
  // Asks the thread to end. False if a refresh under way does not end in time: a device that does
  // not answer may keep it for Reader::Limits::total.
  bool stop(std::chrono::milliseconds patience);

 private:
  void run();

  Engine& engine_;
  std::function<void(const Status&)> done_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool wanted_ = true;
  bool stop_ = false;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace lk
