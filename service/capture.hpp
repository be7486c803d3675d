// Captures: what the probes read of a host, as a tree in a tar.xz file that --root reads back to
// the same inventory. tree.json in it says when, of what, with what left out.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "service/capture_walk.hpp"

namespace lk {

struct CaptureOptions {
  std::string root = "/";  // or a captured tree, to redact it later
  std::string out;         // FILE.tar.xz
  bool redact = true;
  std::chrono::milliseconds unit{3000};  // for one folder of one device
  std::chrono::milliseconds total{120000};
};

struct CaptureReport {
  std::size_t entries = 0;
  std::size_t secrets = 0;       // different ones that were replaced
  std::vector<CaptureGap> gaps;  // what could not be read, with errno; ETIMEDOUT: hung
};

using TreeEntries = std::map<std::string, TreeEntry>;

// Reads the host in a disposable process (`executable` run as "capture-reader") and writes the
// file beside itself under another name first: on an Error nothing is left behind.
Result<CaptureReport> capture(const CaptureOptions& options, const std::string& executable);

// The parts of it.
struct Walked {
  TreeEntries entries;
  std::vector<CaptureGap> gaps;
};
Result<Walked> walk_in_child(const CaptureOptions& options, const std::string& executable);
int capture_reader_main(int in, int out);  // the disposable process's own main
Status write_archive(const TreeEntries& entries, const std::string& file);

}  // namespace lk
