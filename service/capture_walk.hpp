// The walk of a capture: which files of /sys, /proc, /etc and /run are worth keeping, read through
// Root. It runs in a disposable process (capture_main), because a device that does not answer can
// hold whoever reads its files for good.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/root.hpp"

namespace lk {

struct TreeEntry {
  enum class Kind { file, folder, link };
  Kind kind = Kind::file;
  mode_t mode = 0444;  // permission bits
  std::string data;    // content, or the link's target
};

// What could not be kept, and why.
struct CaptureGap {
  std::string path;
  int err = 0;

  friend bool operator==(const CaptureGap&, const CaptureGap&) = default;
};

struct CaptureSink {
  std::function<void(const std::string& path, TreeEntry)> entry;
  std::function<void(const CaptureGap&)> gap;
  std::function<void(const std::string& unit)> announce;  // before what may hang
  std::set<std::string> skip;                             // units that hung
};

void walk_host(const Root& root, const CaptureSink& sink);

// One folder, file and link at a time; each once.
class CaptureWalk {
 public:
  CaptureWalk(const Root& root, const CaptureSink& sink) : root_(root), sink_(sink) {}

  const Root& root() const { return root_; }
  std::vector<std::string> list(const std::string& path);
  bool is_folder(const std::string& path) const;

  // A missing file is no gap; one above `limit` is.
  void file(const std::string& path, std::size_t limit = Root::kAttributeLimit);
  // Only the first `size` bytes of a file that may be longer.
  void start(const std::string& path, std::size_t size);
  void table(const std::string& path) { file(path, Root::kTableLimit); }
  void text(const std::string& path, std::string content);  // what is not read from a file
  void folder(const std::string& path);
  bool link(const std::string& path);                                // false if it is none
  void link_to(const std::string& path, const std::string& target);  // what is no such link
  void files(const std::string& folder, const std::vector<std::string>& names);
  // A folder and all below it, links not followed. Left out: files whose reading asks a device,
  // costs a wake-up or holds a secret; counters nobody looks at; devices' children of other kinds.
  void tree(const std::string& path, int depth);
  // A link and the folder that it leads to, with the folders above it.
  void device(const std::string& path, int depth);

 private:
  void children(const std::string& path, int depth);
  void above(const std::string& real);
  bool enter(const std::string& unit);

  const Root& root_;
  const CaptureSink& sink_;
  std::set<std::string> done_;
};

}  // namespace lk
