#include "service/host_watch.hpp"

#include <libudev.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

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
  udev_.reset(udev_new());
  if (!udev_) return failure("cannot use libudev");
  for (const auto* source : {"kernel", "udev"}) {
    std::unique_ptr<udev_monitor, Unref> monitor(
        udev_monitor_new_from_netlink(udev_.get(), source));
    if (!monitor) continue;
    for (const auto* each : kSubsystems) {
      udev_monitor_filter_add_match_subsystem_devtype(monitor.get(), each, nullptr);
    }
    // For root only; else the default.
    udev_monitor_set_receive_buffer_size(monitor.get(), kBufferBytes);
    if (udev_monitor_enable_receiving(monitor.get()) >= 0) monitors_.push_back(std::move(monitor));
  }
  if (monitors_.empty()) return failure("the kernel gives no device events");
  stop_ = ::eventfd(0, EFD_CLOEXEC);
  return stop_ < 0 ? Status(failure("cannot make an eventfd")) : ok_status();
}

HostWatch::~HostWatch() {
  if (stop_ >= 0) ::eventfd_write(stop_, 1);
  if (thread_.joinable()) thread_.join();
  if (stop_ >= 0) ::close(stop_);
}

// Takes all that is there. True if anything was, or was lost.
bool HostWatch::take(udev_monitor* monitor) {
  bool any = false;
  for (;;) {
    errno = 0;
    auto* device = udev_monitor_receive_device(monitor);
    if (device == nullptr) return any || errno == ENOBUFS;
    udev_device_unref(device);
    any = true;
  }
}

void HostWatch::run() {
  bool pending = false;  // events that were not reported yet
  Clock::time_point due;
  Clock::time_point latest;
  for (;;) {
    int wait = -1;
    if (pending) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - Clock::now());
      wait = static_cast<int>(std::max<std::int64_t>(left.count(), 0));
    }
    std::vector<pollfd> fds{{stop_, POLLIN, 0}};
    for (const auto& each : monitors_) fds.push_back({udev_monitor_get_fd(each.get()), POLLIN, 0});
    ::poll(fds.data(), fds.size(), wait);
    if (fds[0].revents != 0) return;
    bool any = false;
    for (const auto& each : monitors_) any |= take(each.get());
    const auto now = Clock::now();
    if (any) {
      if (!pending) latest = now + kMost;
      pending = true;
      due = std::min(now + kQuiet, latest);
    }
    if (pending && now >= due) {
      pending = false;
      changed_();
    }
  }
}

}  // namespace lk
