// Says when the host changes: drives, PCI functions, CPUs and memory that come and go. The kernel
// tells it at once, udevd once more when its rules have run: whether a udevd runs cannot be told
// from the files that one leaves behind, so both are heard.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "base/result.hpp"

struct udev;
struct udev_monitor;

namespace lk {

class HostWatch {
 public:
  // `changed` is called on a thread of its own, once for what happens together: when no event came
  // for kQuiet, or after kMost. An event that was lost counts as one. An Error where the kernel
  // gives no events (a container, no netlink): then only the period of the refreshes is left.
  static Result<std::unique_ptr<HostWatch>> start(std::function<void()> changed);

  static constexpr std::chrono::milliseconds kQuiet{150};
  static constexpr std::chrono::milliseconds kMost{800};

  HostWatch(const HostWatch&) = delete;
  HostWatch& operator=(const HostWatch&) = delete;
  ~HostWatch();

 private:
  struct Unref {
    void operator()(udev* context) const;
    void operator()(udev_monitor* monitor) const;
  };

  HostWatch() = default;
  Status listen();
  void run();
  static bool take(udev_monitor* monitor);

  std::function<void()> changed_;
  std::unique_ptr<udev, Unref> udev_;
  std::vector<std::unique_ptr<udev_monitor, Unref>> monitors_;
  int stop_ = -1;  // eventfd
  std::thread thread_;
};

}  // namespace lk
