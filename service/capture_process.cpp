#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

#include "base/child.hpp"
#include "base/json_read.hpp"
#include "base/json_write.hpp"
#include "base/text.hpp"
#include "service/capture.hpp"

// The protocol, on the process's standard output: records "<kind> <number> <a> <b>\n" and then a
// bytes of path and b bytes of data. F file, D folder, L link (number: mode); G gap (number:
// errno); U unit, announced before what may hang; E error (data: message); Z the end.

namespace lk {

namespace {

using Clock = std::chrono::steady_clock;

struct WalkRequest {
  std::string root;
  std::vector<std::string> skip;

  static constexpr std::string_view kSchema = "WalkRequest";
  static constexpr auto fields() {
    return std::tuple{field("root", &WalkRequest::root, "/ or a captured tree"),
                      field("skip", &WalkRequest::skip, "units that hang")};
  }
};

struct Record {
  char kind = 0;
  std::uint32_t number = 0;
  std::string path;
  std::string data;
};

std::string encoded(char kind, std::uint32_t number, std::string_view path, std::string_view data) {
  std::string out(1, kind);
  for (const std::size_t each : {std::size_t{number}, path.size(), data.size()}) {
    out += ' ' + std::to_string(each);
  }
  return out + '\n' + std::string(path) + std::string(data);
}

// Takes whole records out of what came so far.
class Records {
 public:
  void feed(std::string_view bytes) { buffer_ += bytes; }

  std::optional<Record> next() {
    const auto newline = buffer_.find('\n', start_);
    if (newline == std::string::npos) return std::nullopt;
    const auto header = words(std::string_view(buffer_).substr(start_, newline - start_));
    std::array<std::size_t, 3> numbers{};
    if (header.size() != 4 || header[0].size() != 1) return broken();
    for (std::size_t i = 0; i < 3; ++i) {
      const auto word = header[i + 1];
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), numbers[i]);
      if (error != std::errc() || numbers[i] > Root::kTableLimit) return broken();
    }
    const auto body = newline + 1;
    if (buffer_.size() < body + numbers[1] + numbers[2]) return std::nullopt;
    Record record{header[0][0], static_cast<std::uint32_t>(numbers[0]),
                  buffer_.substr(body, numbers[1]), buffer_.substr(body + numbers[1], numbers[2])};
    start_ = body + numbers[1] + numbers[2];
    if (start_ > (std::size_t{1} << 20U)) {
      buffer_.erase(0, start_);
      start_ = 0;
    }
    return record;
  }

 private:
  static Record broken() { return {'E', 0, "", "its answer makes no sense"}; }

  std::string buffer_;
  std::size_t start_ = 0;
};

struct Attempt {
  Walked walked;
  std::string unit;
  std::string error;
  bool complete = false;
};

void take(const Record& record, Attempt& attempt) {
  switch (record.kind) {
    case 'F':
      attempt.walked.entries[record.path] = {TreeEntry::Kind::file, record.number, record.data};
      break;
    case 'D':
      attempt.walked.entries[record.path] = {TreeEntry::Kind::folder, record.number, ""};
      break;
    case 'L':
      attempt.walked.entries[record.path] = {TreeEntry::Kind::link, record.number, record.data};
      break;
    case 'G':
      attempt.walked.gaps.push_back({record.path, static_cast<int>(record.number)});
      break;
    case 'U':
      attempt.unit = record.path;
      break;
    case 'Z':
      attempt.complete = true;
      break;
    default:
      attempt.error = record.data;
      break;
  }
}

// Reads records until the end, an error, or a unit that takes longer than its time.
void receive(int from, const CaptureOptions& options, Clock::time_point end, Attempt& attempt) {
  Records records;
  std::array<char, 65536> buffer;
  auto deadline = std::min(Clock::now() + options.unit, end);
  while (!attempt.complete && attempt.error.empty()) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd wait{from, POLLIN, 0};
    const int ready = ::poll(&wait, 1, static_cast<int>(std::max<long>(left.count(), 0)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return;
    const auto got = ::read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    records.feed({buffer.data(), static_cast<std::size_t>(got)});
    while (auto record = records.next()) {
      take(*record, attempt);
      if (attempt.complete || !attempt.error.empty()) return;
    }
    deadline = std::min(Clock::now() + options.unit, end);
  }
}

Result<Attempt> attempt_walk(const CaptureOptions& options, const WalkRequest& request,
                             const std::string& executable, Clock::time_point end) {
  const auto child = start_child(executable, "capture-reader", own_environment());
  if (!child) return child.error();
  write_all(child->in, to_json(request));
  ::close(child->in);
  Attempt attempt;
  receive(child->out, options, end, attempt);
  ::close(child->out);
  // One that hangs in the kernel does not die; nobody waits for it.
  if (!attempt.complete) ::kill(child->pid, SIGKILL);
  static_cast<void>(reap(child->pid, std::chrono::milliseconds(200)));
  return attempt;
}

}  // namespace

Result<Walked> walk_in_child(const CaptureOptions& options, const std::string& executable) {
  const auto end = Clock::now() + options.total;
  WalkRequest request{options.root, {}};
  for (;;) {
    auto attempt = attempt_walk(options, request, executable, end);
    if (!attempt) return attempt.error();
    if (attempt->complete) return std::move(attempt->walked);
    if (!attempt->error.empty()) return Error{attempt->error, {}, 0};
    const bool again =
        std::find(request.skip.begin(), request.skip.end(), attempt->unit) != request.skip.end();
    if (attempt->unit.empty() || again || Clock::now() >= end) {
      return Error{"the capturing process ended or gave no answer in time" +
                       (attempt->unit.empty() ? "" : ", at " + attempt->unit),
                   {},
                   0};
    }
    request.skip.push_back(attempt->unit);
  }
}

int capture_reader_main(int in, int out) {
  const auto text = read_all(in);
  const auto refuse = [&](const Error& error) {
    write_all(out, encoded('E', 0, "", error.message()));
    return 2;
  };
  const auto request = from_json<WalkRequest>(text);
  if (!request) return refuse(request.error());
  const auto root = request->root == "/" ? Root::live() : Root::captured(request->root);
  if (!root) return refuse(root.error());
  // Whole blocks are written; what may hang is announced before it is begun.
  std::string pending;
  const auto flush = [&] {
    if (!write_all(out, pending)) ::_exit(1);
    pending.clear();
  };
  CaptureSink sink;
  sink.skip.insert(request->skip.begin(), request->skip.end());
  sink.entry = [&](const std::string& path, const TreeEntry& entry) {
    const char kind = entry.kind == TreeEntry::Kind::file     ? 'F'
                      : entry.kind == TreeEntry::Kind::folder ? 'D'
                                                              : 'L';
    pending += encoded(kind, entry.mode, path, entry.data);
    if (pending.size() > (std::size_t{1} << 16U)) flush();
  };
  sink.gap = [&](const CaptureGap& gap) {
    pending += encoded('G', static_cast<std::uint32_t>(gap.err), gap.path, "");
  };
  sink.announce = [&](const std::string& unit) {
    pending += encoded('U', 0, unit, "");
    flush();
  };
  walk_host(*root, sink);
  pending += encoded('Z', 0, "", "");
  flush();
  return 0;
}

}  // namespace lk
