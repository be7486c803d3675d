// Root: the one door to /sys, /proc, /run, /etc and /dev, of this host or of a captured tree.
//
// Every path is given without a leading slash ("sys/class/nvme") and is resolved inside the root.
// On a captured tree no link, absolute or with "..", can lead out of the tree: openat2(2) with
// RESOLVE_IN_ROOT. On the live host plain openat(2) is used, because RESOLVE_IN_ROOT fails with
// EAGAIN while anybody renames a file. tests/lint keeps all other code from opening kernel files.
//
// Only regular files are read (kernel attributes are), never a FIFO, a device or a socket that a
// captured tree may hold, and never more than a limit. A Root may be copied; it is not written to.
#pragma once

#include <sys/types.h>
#include <functional>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace lk {

class Root {
 public:
  // Enough for every sysfs attribute (one page) and every list in /proc/irq on the widest host.
  static constexpr std::size_t kAttributeLimit = std::size_t{64} << 10U;
  // /proc/interrupts of 512 CPUs and 10,000 vectors is about 60 MB; /proc/mounts and others less.
  static constexpr std::size_t kTableLimit = std::size_t{128} << 20U;

  static Result<Root> live();
  // `dir` must hold sys/ or proc/; anything else is refused with a message that says so.
  static Result<Root> captured(const std::string& dir);

  bool is_live() const { return live_; }
  const std::string& directory() const { return directory_; }  // "/" or the tree's absolute path

  // The whole file. EFBIG above `limit`; EINVAL for what is not a regular file. `mode` receives the
  // file's st_mode, at no further cost.
  Result<std::string> read(std::string_view path, std::size_t limit = kAttributeLimit,
                           mode_t* mode = nullptr) const;
  // At most the first `limit` bytes, and one more where there are more: for binary files whose rest
  // is not wanted (PCI config).
  Result<std::string> read_start(std::string_view path, std::size_t limit,
                                 mode_t* mode = nullptr) const;
  // The one device that is read: the host-wide latency limit in force, as the four bytes that
  // dev/cpu_dma_latency gives. Opening it for reading adds a request without effect (2,000,000,000
  // us) for as long as it is open. A captured tree keeps the bytes in a regular file.
  Result<std::int32_t> read_latency_limit() const;

  // Names in a directory, sorted, without "." and "..".
  Result<std::vector<std::string>> list(std::string_view path) const;

  // Paths of the symbolic links at most `depth` folders below a directory, in no folder whose name
  // is in `without`. A missing directory has none.
  Result<std::vector<std::string>> links_below(const std::string& path, int depth,
                                               const std::vector<std::string_view>& without) const;

  // A file that may be large (proc/interrupts of a large host has 60 MB), in pieces as they are
  // read, at most `limit` bytes. EFBIG after what is more.
  Status read_pieces(std::string_view path, std::size_t limit,
                     const std::function<void(std::string_view)>& take) const;
  // What a link says, not where it leads: "../../../0000:3b:00.0".
  Result<std::string> link_target(std::string_view path) const;
  // Where a path leads with every link resolved: "sys/devices/pci0000:3a/0000:3a:00.0/...".
  Result<std::string> real_path(std::string_view path) const;
  // The same, link by link: for where no /proc is mounted that would tell.
  Result<std::string> resolve_links(std::string_view path) const;

  // What the links in a folder of the live host lead to (proc/<pid>/fd): from what this kernel
  // knows already, so that a dead file server or a busy device is not waited for.
  struct OpenFile {
    std::string name;    // of the link
    mode_t mode = 0;     // type and permissions
    std::string number;  // "259:1": the device that it is, or that its file system is on
    bool is_block() const;
    bool is_character() const;
    bool is_regular() const;
  };
  // In no order. Those that are closed meanwhile are left out.
  Result<std::vector<OpenFile>> open_files(std::string_view folder) const;

  bool exists(std::string_view path) const;          // also true for a directory
  Result<mode_t> mode(std::string_view path) const;  // st_mode of what the path leads to

 private:
  Root(int fd, bool live, std::string directory);
  Result<int> open(std::string_view path, int flags) const;

  std::shared_ptr<const int> fd_;  // closed with the last copy
  bool live_ = false;
  std::string directory_;
};

// The last component of a path: "nvme0" of "sys/class/nvme/nvme0".
std::string_view base_name(std::string_view path);

}  // namespace lk
