#include "probes/reader.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "base/child.hpp"
#include "base/json_read.hpp"
#include "base/json_write.hpp"
#include "probes/probe.hpp"

// The protocol, on the reader's standard output: lines "U <unit>" as work on a unit begins, then
// "I <bytes>" and the inventory as JSON; "E" and a message instead if the root cannot be opened.

namespace lk {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kNotStarted = 127;  // exit status where the program could not be run again
constexpr std::chrono::milliseconds kGrace{200};  // to end, after the answer or SIGKILL

// hwloc takes these from the environment only; linux,stop keeps it from asking this CPU.
std::vector<std::string> reader_environment(const ReaderRequest& request) {
  auto environment = own_environment();
  std::erase_if(environment, [](const std::string& each) { return each.starts_with("HWLOC_"); });
  if (request.root != "/") environment.push_back("HWLOC_FSROOT=" + request.root);
  environment.emplace_back("HWLOC_COMPONENTS=linux,stop");
  environment.emplace_back("HWLOC_HIDE_ERRORS=2");
  return environment;
}

std::string end_of(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    return "was killed by signal " + std::to_string(number) + " (" + ::strsignal(number) + ")";
  }
  const std::string text = "exited with " + std::to_string(WEXITSTATUS(status));
  return WEXITSTATUS(status) == kNotStarted
             ? text + ": it could not be started (call lanekeeper by its full path)"
             : text;
}

}  // namespace

struct Reader::Attempt {
  std::string unit;       // the last that was announced
  bool complete = false;  // `text` holds the whole answer
  bool timed_out = false;
  bool failed = false;  // the reader answered with an error
  std::string text;
  std::string end;  // how the process ended, if it did
};

namespace {

// Takes whole lines and the final payload out of what came so far.
class Answer {
 public:
  void feed(std::string_view bytes) {
    buffer_ += bytes;
    while (!payload_) {
      const auto newline = buffer_.find('\n');
      if (newline == std::string::npos) return;
      const std::string line = buffer_.substr(0, newline);
      buffer_.erase(0, newline + 1);
      if (line.starts_with("U ")) {
        unit = line.substr(2);
        progressed = true;
      } else if (line.starts_with("I ") || line.starts_with("E ")) {
        std::size_t size = 0;
        std::from_chars(line.data() + 2, line.data() + line.size(), size);
        failed = line[0] == 'E';
        payload_ = size;
      }
    }
  }
  bool complete() const { return payload_ && buffer_.size() >= *payload_; }
  bool receiving() const { return payload_.has_value(); }
  std::string take() { return buffer_.substr(0, *payload_); }

  std::string unit;
  bool progressed = false;
  bool failed = false;

 private:
  std::string buffer_;
  std::optional<std::size_t> payload_;
};

}  // namespace

Reader::Reader(std::string executable, Limits limits)
    : executable_(std::move(executable)), limits_(limits) {}

Reader::Attempt Reader::run_once(const ReaderRequest& request, Clock::time_point end) {
  Attempt attempt;
  const auto child = start_child(executable_, "reader", reader_environment(request));
  if (!child) {
    attempt.end = child.error().message();
    return attempt;
  }
  write_all(child->in, to_json(request));
  ::close(child->in);
  Answer answer;
  auto deadline = end;  // a start may take its time: it touches no device
  std::array<char, 65536> buffer;
  while (!answer.complete()) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd poll_for{child->out, POLLIN, 0};
    const int ready = ::poll(&poll_for, 1, static_cast<int>(std::max<long>(left.count(), 0)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0 && Clock::now() < end && is_runnable(child->pid)) {
      deadline = std::min(Clock::now() + limits_.unit, end);
      continue;
    }
    if (ready <= 0) {
      attempt.timed_out = true;
      break;
    }
    const auto got = ::read(child->out, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    answer.feed({buffer.data(), static_cast<std::size_t>(got)});
    if (std::exchange(answer.progressed, false) || answer.receiving()) {
      deadline = std::min(Clock::now() + limits_.unit, end);
    }
  }
  ::close(child->out);
  attempt.unit = answer.unit;
  attempt.failed = answer.failed;
  attempt.complete = answer.complete();
  if (attempt.complete) attempt.text = answer.take();
  // One that answered ends by itself; one that did not gets a moment after SIGKILL, then is left.
  if (!attempt.complete) ::kill(child->pid, SIGKILL);
  if (const auto status = reap(child->pid, kGrace)) {
    attempt.end = end_of(*status);
    return attempt;
  }
  stuck_.push_back({child->pid, attempt.complete ? std::string() : attempt.unit});
  return attempt;
}

std::vector<std::string> Reader::stuck_units() {
  std::erase_if(stuck_, [](const Stuck& each) { return reap(each.pid).has_value(); });
  std::vector<std::string> units;
  for (const auto& each : stuck_) {
    if (!each.unit.empty()) units.push_back(each.unit);
  }
  return units;
}

Result<Inventory> Reader::read(ReaderRequest request) {
  const auto end = Clock::now() + limits_.total;
  for (const auto& unit : stuck_units()) request.skip.emplace(unit, Skip{});
  for (;;) {
    const Attempt attempt = run_once(request, end);
    if (attempt.failed) return Error{attempt.text, {}, 0};
    if (attempt.complete) {
      auto inventory = inventory_from_json(attempt.text);
      if (!inventory) {
        return Error{
            "internal error: the reader's answer is refused: " + inventory.error().message(),
            {},
            0};
      }
      return inventory;
    }
    const bool again = request.skip.contains(attempt.unit);
    if (attempt.unit.empty() || again || Clock::now() >= end) {
      return Error{"the reader process gave no inventory: it " +
                       (attempt.timed_out ? "did not answer in time" : attempt.end) +
                       (attempt.unit.empty() ? "" : " while reading " + attempt.unit),
                   {},
                   0};
    }
    request.skip.emplace(attempt.unit, Skip{attempt.timed_out ? "" : "the reader " + attempt.end});
  }
}

int reader_main(int in, int out) {
  ::signal(SIGPIPE, SIG_IGN);
  const auto text = read_all(in);
  const auto answer = [&](char kind, const std::string& body) {
    write_all(out, std::string(1, kind) + ' ' + std::to_string(body.size()) + '\n');
    return write_all(out, body);
  };
  const auto request = from_json<ReaderRequest>(text);
  if (!request) {
    answer('E', request.error().message());
    return 2;
  }
  const auto root = request->root == "/" ? Root::live() : Root::captured(request->root);
  if (!root) {
    answer('E', root.error().message());
    return 2;
  }
  CollectOptions options;
  options.skip = request->skip;
  options.node_overrides = request->node_overrides;
  options.labels = request->labels;
  options.ask_drives = request->ask_drives;
  options.announce = [out](const std::string& unit) { write_all(out, "U " + unit + "\n"); };
  return answer('I', inventory_json(collect(*root, options))) ? 0 : 1;
}

std::string self_executable() {
  std::string self = "/proc/self/exe";
  std::array<char, PATH_MAX> target;
  const auto size = ::readlink(self.c_str(), target.data(), target.size());
  if (size > 0) {
    const std::string_view path(target.data(), static_cast<std::size_t>(size));
    // A binary replaced by an upgrade reads "... (deleted)"; the link itself still leads to it.
    return path.ends_with(" (deleted)") ? self : std::string(path);
  }
  // Without /proc: the path that this program was started by.
  const auto* started = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  if (started == nullptr || ::realpath(started, target.data()) == nullptr) return self;
  return target.data();
}

}  // namespace lk
