// Says when the host changes: drives, PCI functions, CPUs and memory that come and go. From udevd,
// which reports a device once its rules have run; where no udevd runs, from the kernel itself.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

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

  const char* source() const { return from_udevd_ ? "udevd" : "the kernel"; }

 private:
  struct Unref {
    void operator()(udev* context) const;
    void operator()(udev_monitor* monitor) const;
  };

  HostWatch() = default;
  Status listen();
  void run();
  bool take();

  std::function<void()> changed_;
  std::unique_ptr<udev, Unref> udev_;
  std::unique_ptr<udev_monitor, Unref> monitor_;
  bool from_udevd_ = false;
  int stop_ = -1;  // eventfd
  std::thread thread_;
};

}  // namespace lk
