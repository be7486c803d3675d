// The reader: a disposable process that collects one inventory, so that a device which never
// answers can only ever cost a process that nobody waits for. (On some kernels every read of a hung
// disk's queue/ directory blocks for good, and kill -9 does nothing: kernel.md 0.1, vmlab.)
#pragma once

#include <sys/types.h>

#include <chrono>

#include "probes/probe.hpp"

namespace lk {

// What the reader is asked, as JSON on its standard input.
struct ReaderRequest {
  std::string root = "/";  // "/" or a captured tree
  std::map<std::string, Skip> skip;
  std::map<std::string, std::int64_t> node_overrides;
  std::map<std::string, std::string> labels;
  bool ask_drives = false;

  static constexpr std::string_view kSchema = "ReaderRequest";
  template <class Self = ReaderRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("root", &Self::root, "/ or a captured tree"),
        field("skip", &Self::skip, "units to leave out"),
        field("node_overrides", &Self::node_overrides, "node of a drive, by any of its names"),
        field("labels", &Self::labels, "host labels"),
        field("ask_drives", &Self::ask_drives, "also read what takes a command to the drive"),
    };
  }
};

// Runs readers and keeps account of those that hang. One per process; not thread-safe.
class Reader {
 public:
  struct Limits {
    std::chrono::milliseconds unit{2000};    // for one unit: one probe, one device
    std::chrono::milliseconds total{20000};  // for one read(), whatever hangs
  };

  // `executable` is run as `<executable> reader`.
  explicit Reader(std::string executable, Limits limits);
  explicit Reader(std::string executable) : Reader(std::move(executable), Limits{}) {}
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // Blocks up to Limits::total. A unit that hangs or kills its reader is left out and has a
  // Problem; an Error means that no inventory at all could be read.
  Result<Inventory> read(ReaderRequest request);

  // Units that a reader still hangs in. They are left out until that process ends.
  std::vector<std::string> stuck_units();

 private:
  struct Attempt;
  struct Stuck {
    pid_t pid;
    std::string unit;
  };
  Attempt run_once(const ReaderRequest& request, std::chrono::steady_clock::time_point end);

  std::string executable_;
  Limits limits_;
  std::vector<Stuck> stuck_;
};

// The reader's own main: request from `in`, announcements and inventory to `out`. Exit status.
int reader_main(int in, int out);

// This program's own executable, to be run again.
std::string self_executable();

}  // namespace lk
