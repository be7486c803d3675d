#include "service/host_watch.hpp"

#include <libudev.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

#include "base/root.hpp"

namespace lk {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kBufferBytes =
    4 << 20;  // a shelf of drives that is plugged in is thousands of events
constexpr std::array<const char*, 6> kSubsystems{"nvme", "nvme-subsystem", "block", "pci",
                                                 "cpu",  "memory"};

}  // namespace

void HostWatch::Unref::operator()(udev* context) const {
  udev_unref(context);
}

void HostWatch::Unref::operator()(udev_monitor* monitor) const {
  udev_monitor_unref(monitor);
}

Result<std::unique_ptr<HostWatch>> HostWatch::start(std::function<void()> changed) {
  std::unique_ptr<HostWatch> watch(new HostWatch);
  watch->changed_ = std::move(changed);
  if (auto status = watch->listen(); !status) return status.error();
  watch->thread_ = std::thread([self = watch.get()] { self->run(); });
  return watch;
}

Status HostWatch::listen() {
  const auto failure = [](const char* what) { return Error{what, {}, errno}; };
  const auto root = Root::live();
  from_udevd_ = root && root->exists("run/udev/control");
  udev_.reset(udev_new());
  if (!udev_) return failure("cannot use libudev");
  monitor_.reset(udev_monitor_new_from_netlink(udev_.get(), from_udevd_ ? "udev" : "kernel"));
  if (!monitor_) return failure("the kernel gives no device events");
  for (const auto* each : kSubsystems) {
    udev_monitor_filter_add_match_subsystem_devtype(monitor_.get(), each, nullptr);
  }
  udev_monitor_set_receive_buffer_size(monitor_.get(),
                                       kBufferBytes);  // root only; else the default
  if (udev_monitor_enable_receiving(monitor_.get()) < 0) {
    return failure("the kernel gives no device events");
  }
  stop_ = ::eventfd(0, EFD_CLOEXEC);
  return stop_ < 0 ? Status(failure("cannot make an eventfd")) : ok_status();
}

HostWatch::~HostWatch() {
  if (stop_ >= 0) ::eventfd_write(stop_, 1);
  if (thread_.joinable()) thread_.join();
  if (stop_ >= 0) ::close(stop_);
}

// Takes all that is there. True if anything was, or was lost.
bool HostWatch::take() {
  bool any = false;
  for (;;) {
    errno = 0;
    auto* device = udev_monitor_receive_device(monitor_.get());
    if (device == nullptr) return any || errno == ENOBUFS;
    udev_device_unref(device);
    any = true;
  }
}

void HostWatch::run() {
  std::optional<Clock::time_point> first;  // of the events that were not reported yet
  Clock::time_point last;
  for (;;) {
    int wait = -1;
    if (first) {
      const auto due = std::min(last + kQuiet, *first + kMost);
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - Clock::now());
      wait = static_cast<int>(std::max<std::int64_t>(left.count(), 0));
    }
    std::array<pollfd, 2> fds{
        {{udev_monitor_get_fd(monitor_.get()), POLLIN, 0}, {stop_, POLLIN, 0}}};
    const int ready = ::poll(fds.data(), fds.size(), wait);
    if (fds[1].revents != 0) return;
    if (ready > 0 && take()) {
      last = Clock::now();
      if (!first) first = last;
    }
    if (first && Clock::now() >= std::min(last + kQuiet, *first + kMost)) {
      first.reset();
      changed_();
    }
  }
}

}  // namespace lk
