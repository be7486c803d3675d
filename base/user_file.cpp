#include "base/user_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace lk {

namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

Result<std::string> read_user_file(const std::string& file, std::size_t limit) {
  const Descriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat info {};
  if (in.get() < 0 || ::fstat(in.get(), &info) != 0) return Error{"cannot read", file, errno};
  if (S_ISDIR(info.st_mode)) return Error{"cannot read", file, EISDIR};
  if (!S_ISREG(info.st_mode)) return Error{"not a regular file:", file, EINVAL};
  std::string text;
  std::array<char, 16384> buffer;
  while (text.size() <= limit) {
    const auto got = ::read(in.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error{"cannot read", file, errno};
    if (got == 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace lk
