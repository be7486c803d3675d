#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <memory>

#include "service/capture.hpp"

namespace lk {

namespace {

constexpr const char* kFolder = "tree/";  // unpacking must not strew sys/ and proc/ about

// A file that has its name only once it is whole; else it vanishes with its descriptor.
class NewFile {
 public:
  explicit NewFile(std::string path) : path_(std::move(path)), temporary_(path_ + ".XXXXXX") {
    fd_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (fd_ < 0) return;
    ::close(fd_);
    if (!named_) ::unlink(temporary_.c_str());
  }
  int fd() const { return fd_; }
  int keep() {
    if (::fsync(fd_) != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0) return errno;
    named_ = true;
    return 0;
  }

 private:
  std::string path_;
  std::string temporary_;
  int fd_ = -1;
  bool named_ = false;
};

using Archive = std::unique_ptr<archive, int (*)(archive*)>;

Error failure(archive* from, const std::string& file) {
  const int err = archive_errno(from);
  const char* text = archive_error_string(from);
  if (err > 0) return Error{"cannot write", file, err};
  return Error{"cannot write (" + std::string(text != nullptr ? text : "no reason given") + ")",
               file, 0};
}

int add_entry(archive* to, const std::string& path, const TreeEntry& from, std::time_t now) {
  const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(),
                                                                       archive_entry_free);
  archive_entry_set_pathname(entry.get(), path.c_str());
  archive_entry_set_mtime(entry.get(), now, 0);
  // The owner must be able to read what was unpacked, whatever the kernel's mode was.
  archive_entry_set_perm(entry.get(), (from.mode & 0777U) | 0400U);
  switch (from.kind) {
    case TreeEntry::Kind::file:
      archive_entry_set_filetype(entry.get(), AE_IFREG);
      archive_entry_set_size(entry.get(), static_cast<la_int64_t>(from.data.size()));
      break;
    case TreeEntry::Kind::folder:
      archive_entry_set_filetype(entry.get(), AE_IFDIR);
      break;
    case TreeEntry::Kind::link:
      archive_entry_set_filetype(entry.get(), AE_IFLNK);
      archive_entry_set_symlink(entry.get(), from.data.c_str());
      break;
  }
  int status = archive_write_header(to, entry.get());
  if (status >= ARCHIVE_WARN && from.kind == TreeEntry::Kind::file && !from.data.empty()) {
    const auto wrote = archive_write_data(to, from.data.data(), from.data.size());
    if (wrote != static_cast<la_ssize_t>(from.data.size())) status = ARCHIVE_FATAL;
  }
  return status;
}

}  // namespace

Status write_archive(const TreeEntries& entries, const std::string& file) {
  NewFile out(file);
  if (out.fd() < 0) return Error{"cannot make a file beside", file, errno};
  const Archive to(archive_write_new(), archive_write_free);
  if (archive_write_set_format_pax_restricted(to.get()) != ARCHIVE_OK ||
      archive_write_add_filter_xz(to.get()) != ARCHIVE_OK ||
      archive_write_open_fd(to.get(), out.fd()) != ARCHIVE_OK) {
    return failure(to.get(), file);
  }
  const auto now = std::time(nullptr);
  if (add_entry(to.get(), kFolder, {TreeEntry::Kind::folder, 0755, ""}, now) < ARCHIVE_WARN) {
    return failure(to.get(), file);
  }
  for (const auto& [path, entry] : entries) {
    if (add_entry(to.get(), kFolder + path, entry, now) < ARCHIVE_WARN) {
      return failure(to.get(), file);
    }
  }
  if (archive_write_close(to.get()) != ARCHIVE_OK) return failure(to.get(), file);
  if (const int err = out.keep(); err != 0) return Error{"cannot write", file, err};
  return ok_status();
}

}  // namespace lk
