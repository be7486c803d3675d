// What happened, in order, for GET /v1/events. Bounded: who falls behind is told to start over.
//
// Thread-safe. Readers hold no queue of their own, only the number of the last event they had, so a
// thousand of them cost no more than one.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lk {

struct Event {
  std::uint64_t number = 0;  // from 1, without gaps
  std::string type;          // inventory, finding, ... (design.md 6)
  std::string data;          // JSON on one line
};

class EventLog {
 public:
  static constexpr std::size_t kMostEvents = 4096;
  static constexpr std::size_t kMostBytes = std::size_t{4} << 20U;

  EventLog();

  void add(std::string type, std::string data);
  std::uint64_t newest() const;  // 0: none yet

  // Events after `number`, at most `most`. nullopt: some of them are no longer kept.
  std::optional<std::vector<Event>> after(std::uint64_t number, std::size_t most) const;

  // "3f9a01bc-17": of this run of the program. What another run, or nobody, wrote gives nullopt.
  std::string id_of(std::uint64_t number) const;
  std::optional<std::uint64_t> number_of(std::string_view id) const;

  // Called after each add(), on the thread that added. Null: nobody waits.
  void on_add(std::function<void()> wake);

 private:
  mutable std::mutex mutex_;
  std::string run_;
  std::deque<Event> events_;
  std::size_t bytes_ = 0;
  std::uint64_t newest_ = 0;
  std::function<void()> wake_;
};

}  // namespace lk
