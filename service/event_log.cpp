#include "service/event_log.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>

#include "base/text.hpp"

namespace lk {

EventLog::EventLog() {
  std::array<char, 9> text{};
  std::snprintf(text.data(), text.size(), "%08x", static_cast<unsigned>(std::random_device()()));
  run_ = text.data();
}

void EventLog::add(std::string type, std::string data) {
  std::function<void()> wake;
  {
    const std::lock_guard lock(mutex_);
    bytes_ += data.size();
    events_.push_back({++newest_, std::move(type), std::move(data)});
    // The newest one always stays.
    while (events_.size() > 1 && (events_.size() > kMostEvents || bytes_ > kMostBytes)) {
      bytes_ -= events_.front().data.size();
      events_.pop_front();
    }
    wake = wake_;
  }
  if (wake) wake();
}

std::uint64_t EventLog::newest() const {
  const std::lock_guard lock(mutex_);
  return newest_;
}

std::optional<std::vector<Event>> EventLog::after(std::uint64_t number, std::size_t most) const {
  const std::lock_guard lock(mutex_);
  if (number > newest_) return std::nullopt;
  const auto oldest = newest_ - events_.size() + 1;
  if (number + 1 < oldest) return std::nullopt;
  const auto skip = static_cast<std::ptrdiff_t>(number + 1 - oldest);
  const auto count = std::min(most, static_cast<std::size_t>(newest_ - number));
  const auto first = events_.begin() + skip;
  return std::vector<Event>(first, first + static_cast<std::ptrdiff_t>(count));
}

std::string EventLog::id_of(std::uint64_t number) const {
  return run_ + '-' + std::to_string(number);
}

std::optional<std::uint64_t> EventLog::number_of(std::string_view id) const {
  if (!id.starts_with(run_ + '-')) return std::nullopt;
  const auto number = parse_int(id.substr(run_.size() + 1));
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

void EventLog::on_add(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

}  // namespace lk
