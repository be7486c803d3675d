#include "base/root.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

namespace lk {

namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { ::close(fd_); }
  int get() const { return fd_; }

 private:
  int fd_;
};

Error failure(const char* what, std::string_view path, int err) {
  return Error{what, std::string(path), err};
}

// openat2 inside the root; EAGAIN means only that something was renamed meanwhile.
int open_in_root(int root, const char* path, int flags) {
  open_how how{};
  how.flags = static_cast<__u64>(flags);
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  for (int attempt = 0; attempt < 128; ++attempt) {
    const auto fd = ::syscall(SYS_openat2, root, path, &how, sizeof how);
    if (fd >= 0 || (errno != EAGAIN && errno != EINTR)) return static_cast<int>(fd);
  }
  return -1;
}

// `size` is the file's if it can be relied on (in a captured tree, not of what the kernel makes
// up), else 0: it saves the read that finds the end. Reads until the end or until more than `limit`
// bytes came. EAGAIN from read(2) is data: some hwmon and NVMe attributes answer with it while the
// device is busy.
Result<std::string> read_all(int fd, std::string_view path, std::size_t limit, std::size_t size) {
  std::string text;
  if (size > 0) text.reserve(std::min(size, limit) + 1);
  std::array<char, 16384> buffer;
  for (;;) {
    const auto got = ::read(fd, buffer.data(), std::min(buffer.size(), limit + 1 - text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure("cannot read", path, errno);
    if (got == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
    if (text.size() > limit || text.size() == size) return text;
  }
}

// A captured tree keeps the device's four bytes in a regular file.
Result<std::int32_t> captured_limit(const Root& root, std::string_view path) {
  std::int32_t limit = 0;
  const auto bytes = root.read(path, sizeof limit);
  if (!bytes) return bytes.error();
  if (bytes->size() != sizeof limit) return failure("holds no four bytes:", path, 0);
  std::memcpy(&limit, bytes->data(), sizeof limit);
  return limit;
}

}  // namespace

Root::Root(int fd, bool live, std::string directory)
    : fd_(new int(fd),
          [](const int* open) {
            ::close(*open);
            delete open;
          }),
      live_(live),
      directory_(std::move(directory)) {}

Result<Root> Root::live() {
  const int fd = ::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return failure("cannot open", "/", errno);
  return Root(fd, true, "/");
}

Result<Root> Root::captured(const std::string& dir) {
  const int fd = ::open(dir.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return failure("cannot open the captured tree", dir, errno);
  std::array<char, PATH_MAX> absolute;
  const bool known = ::realpath(dir.c_str(), absolute.data()) != nullptr;
  Root root(fd, false, known ? absolute.data() : dir);
  if (!root.exists("sys") && !root.exists("proc")) {
    return Error{"not a captured tree, it holds neither sys/ nor proc/:", dir, 0};
  }
  return root;
}

Result<int> Root::open(std::string_view path, int flags) const {
  while (path.starts_with('/')) path.remove_prefix(1);
  const std::string name = path.empty() ? "." : std::string(path);
  flags |= O_CLOEXEC;
  // A FIFO in a captured tree must not block. openat2 refuses both flags beside O_PATH.
  if ((flags & O_PATH) == 0) flags |= O_NONBLOCK | O_NOCTTY;
  const int fd =
      live_ ? ::openat(*fd_, name.c_str(), flags) : open_in_root(*fd_, name.c_str(), flags);
  if (fd < 0) return failure("cannot open", path, errno);
  return fd;
}

Result<std::string> Root::read_start(std::string_view path, std::size_t limit, mode_t* mode) const {
  const auto fd = open(path, O_RDONLY);
  if (!fd) return fd.error();
  const Descriptor file(*fd);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return failure("cannot stat", path, errno);
  if (S_ISDIR(info.st_mode)) return failure("cannot read", path, EISDIR);
  if (!S_ISREG(info.st_mode)) return failure("not a regular file:", path, EINVAL);
  if (mode != nullptr) *mode = info.st_mode;
  const auto size = live_ ? std::size_t{0} : static_cast<std::size_t>(info.st_size);
  return read_all(file.get(), path, limit, size);
}

Result<std::string> Root::read(std::string_view path, std::size_t limit, mode_t* mode) const {
  auto text = read_start(path, limit, mode);
  if (text && text->size() > limit) {
    return failure("larger than any such file can be:", path, EFBIG);
  }
  return text;
}

Status Root::read_pieces(std::string_view path, std::size_t limit,
                         const std::function<void(std::string_view)>& take) const {
  const auto fd = open(path, O_RDONLY);
  if (!fd) return fd.error();
  const Descriptor file(*fd);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return failure("cannot stat", path, errno);
  if (S_ISDIR(info.st_mode)) return failure("cannot read", path, EISDIR);
  if (!S_ISREG(info.st_mode)) return failure("not a regular file:", path, EINVAL);
  std::array<char, 65536> buffer;
  std::size_t total = 0;
  for (;;) {
    const auto got = ::read(file.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure("cannot read", path, errno);
    if (got == 0) return ok_status();
    total += static_cast<std::size_t>(got);
    if (total > limit) return failure("larger than any such file can be:", path, EFBIG);
    take({buffer.data(), static_cast<std::size_t>(got)});
  }
}

Result<std::vector<std::string>> Root::list(std::string_view path) const {
  const auto fd = open(path, O_RDONLY | O_DIRECTORY);
  if (!fd) return Error{"cannot list", fd.error().path, fd.error().err};
  DIR* dir = ::fdopendir(*fd);
  if (dir == nullptr) {
    const int err = errno;
    ::close(*fd);
    return failure("cannot list", path, err);
  }
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(dir)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  const int err = errno;
  ::closedir(dir);
  if (err != 0) return failure("cannot list", path, err);
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::int32_t> Root::read_latency_limit() const {
  constexpr std::string_view kPath = "dev/cpu_dma_latency";
  if (!live_) return captured_limit(*this, kPath);
  const auto fd = open(kPath, O_RDONLY);
  if (!fd) return fd.error();
  const Descriptor file(*fd);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return failure("cannot stat", kPath, errno);
  if (!S_ISCHR(info.st_mode)) return failure("not a character device:", kPath, EINVAL);
  std::int32_t limit = 0;
  const auto got = ::read(file.get(), &limit, sizeof limit);
  if (got < 0) return failure("cannot read", kPath, errno);
  if (got != sizeof limit) return failure("gave no four bytes:", kPath, EIO);
  return limit;
}

namespace {

// A folder's entries as getdents64 gives them, whose record readdir hides behind a 32 KiB buffer
// for each folder; hwloc's trees have thousands.
struct linux_dirent64 {
  std::uint64_t d_ino;
  std::int64_t d_off;
  unsigned short d_reclen;
  unsigned char d_type;
  char d_name[1];
};

struct Folder {
  std::vector<std::string> links;
  std::vector<std::string> folders;
};

int list_folder(int fd, Folder& into) {
  alignas(8) std::array<char, 8192> buffer;
  for (;;) {
    const auto got = ::syscall(SYS_getdents64, fd, buffer.data(), buffer.size());
    if (got <= 0) return got < 0 ? errno : 0;
    for (long at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const linux_dirent64*>(buffer.data() + at);
      at += entry->d_reclen;
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      const bool unknown = entry->d_type == DT_UNKNOWN;
      struct stat info {};
      if (unknown && ::fstatat(fd, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
      if (entry->d_type == DT_LNK || S_ISLNK(info.st_mode)) into.links.emplace_back(name);
      if (entry->d_type == DT_DIR || S_ISDIR(info.st_mode)) into.folders.emplace_back(name);
    }
  }
}

// No link is followed, so that openat stays inside the tree. 0, or an errno.
int walk_links(int fd, const std::string& path, int depth,
               const std::vector<std::string_view>& without, std::vector<std::string>& links) {
  Folder folder;
  if (const int err = list_folder(fd, folder); err != 0) return err;
  for (const auto& name : folder.links) links.push_back(path + '/' + name);
  if (depth <= 0) return 0;
  for (const auto& name : folder.folders) {
    if (std::find(without.begin(), without.end(), name) != without.end()) continue;
    const int below = ::openat(fd, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below < 0) return errno;
    const Descriptor closer(below);
    if (const int err = walk_links(below, path + '/' + name, depth - 1, without, links); err != 0) {
      return err;
    }
  }
  return 0;
}

}  // namespace

Result<std::vector<std::string>> Root::links_below(
    const std::string& path, int depth, const std::vector<std::string_view>& without) const {
  std::vector<std::string> links;
  const auto fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!fd && fd.error().err == ENOENT) return links;
  if (!fd) return fd.error();
  const Descriptor closer(*fd);
  if (const int err = walk_links(*fd, path, depth, without, links); err != 0) {
    return failure("cannot list what is below", path, err);
  }
  return links;
}

Result<std::string> Root::link_target(std::string_view path) const {
  const auto fd = open(path, O_PATH | O_NOFOLLOW);
  if (!fd) return fd.error();
  const Descriptor file(*fd);
  std::array<char, PATH_MAX> target;
  const auto size = ::readlinkat(file.get(), "", target.data(), target.size());
  if (size < 0) return failure("cannot read the link", path, errno == ENOENT ? EINVAL : errno);
  return std::string(target.data(), static_cast<std::size_t>(size));
}

Result<std::string> Root::real_path(std::string_view path) const {
  const auto fd = open(path, O_PATH);
  if (!fd) return fd.error();
  const Descriptor file(*fd);
  const std::string self = "/proc/self/fd/" + std::to_string(file.get());
  std::array<char, PATH_MAX> target;
  const auto size = ::readlink(self.c_str(), target.data(), target.size());
  if (size < 0) return resolve_links(path);
  std::string_view whole(target.data(), static_cast<std::size_t>(size));
  if (directory_ != "/" && whole.starts_with(directory_)) whole.remove_prefix(directory_.size());
  while (whole.starts_with('/')) whole.remove_prefix(1);
  return std::string(whole);
}

Result<std::string> Root::resolve_links(std::string_view path) const {
  constexpr int kMostLinks = 40;  // as the kernel's own limit
  std::vector<std::string> left;  // components still to look at, the next one last
  const auto put = [&left](std::string_view text) {
    std::size_t end = text.size();
    while (end > 0) {
      const auto slash = text.rfind('/', end - 1);
      const auto start = slash == std::string_view::npos ? 0 : slash + 1;
      if (end > start) left.emplace_back(text.substr(start, end - start));
      if (slash == std::string_view::npos) break;
      end = slash;
    }
  };
  put(path);
  std::string done;
  for (int links = 0; !left.empty();) {
    const std::string next = std::move(left.back());
    left.pop_back();
    if (next == ".") continue;
    const auto parent = done.rfind('/');
    if (next == "..") {
      done.erase(parent == std::string::npos ? 0 : parent);
      continue;
    }
    std::string here = done.empty() ? next : done + '/' + next;
    const auto target = link_target(here);
    if (!target && target.error().err != EINVAL)
      return failure("cannot resolve", path, target.error().err);
    if (!target) {
      done = std::move(here);
      continue;
    }
    if (++links > kMostLinks) return failure("cannot resolve", path, ELOOP);
    if (target->starts_with('/')) done.clear();
    put(*target);
  }
  return done;
}

bool Root::OpenFile::is_block() const {
  return S_ISBLK(mode);
}

bool Root::OpenFile::is_character() const {
  return S_ISCHR(mode);
}

bool Root::OpenFile::is_regular() const {
  return S_ISREG(mode);
}

Result<std::vector<Root::OpenFile>> Root::open_files(std::string_view folder) const {
  if (!live_) return failure("a captured tree has no open files:", folder, ENOTSUP);
  const auto fd = open(folder, O_RDONLY | O_DIRECTORY);
  if (!fd) return Error{"cannot list", fd.error().path, fd.error().err};
  const Descriptor closer(*fd);
  Folder entries;
  if (const int err = list_folder(*fd, entries); err != 0) {
    return failure("cannot list", folder, err);
  }
  std::vector<OpenFile> files;
  files.reserve(entries.links.size());
  for (auto& name : entries.links) {
    struct statx info {};
    constexpr int kFlags = AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT;
    if (::statx(*fd, name.c_str(), kFlags, STATX_TYPE, &info) != 0) continue;
    const bool special = S_ISBLK(info.stx_mode) || S_ISCHR(info.stx_mode);
    const auto major = special ? info.stx_rdev_major : info.stx_dev_major;
    const auto minor = special ? info.stx_rdev_minor : info.stx_dev_minor;
    files.push_back(
        {std::move(name), info.stx_mode, std::to_string(major) + ':' + std::to_string(minor)});
  }
  return files;
}

bool Root::exists(std::string_view path) const {
  return mode(path).ok();
}

Result<mode_t> Root::mode(std::string_view path) const {
  const auto fd = open(path, O_PATH);
  if (!fd) return fd.error();
  const Descriptor file(*fd);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return failure("cannot stat", path, errno);
  return info.st_mode;
}

std::string_view base_name(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace lk
