#include "base/child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/root.hpp"

namespace lk {

namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (auto& each : texts) out.push_back(each.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

// Only async-signal-safe calls between fork and exec: other threads may hold locks.
Result<Child> start_child(const std::string& executable, const std::string& command,
                          std::vector<std::string> environment) {
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  if (::pipe2(in.data(), O_CLOEXEC) != 0) return Error{"cannot make a pipe", {}, errno};
  if (::pipe2(out.data(), O_CLOEXEC) != 0) {
    const int err = errno;
    ::close(in[0]);
    ::close(in[1]);
    return Error{"cannot make a pipe", {}, err};
  }
  std::vector<std::string> words{executable, command};
  const auto argv = pointers(words);
  const auto env = pointers(environment);
  const pid_t pid = ::fork();
  if (pid == 0) {
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::dup2(in[0], STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    ::execve(argv[0], argv.data(), env.data());
    ::_exit(127);
  }
  const int err = errno;
  ::close(in[0]);
  ::close(out[1]);
  if (pid < 0) {
    ::close(in[1]);
    ::close(out[0]);
    return Error{"cannot start another process of", executable, err};
  }
  return Child{pid, in[1], out[0]};
}

std::vector<std::string> own_environment() {
  std::vector<std::string> out;
  for (char** each = environ; *each != nullptr; ++each) out.emplace_back(*each);
  return out;
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const auto wrote = ::write(fd, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

std::string read_all(int fd) {
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const auto got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

std::optional<int> reap(pid_t pid) {
  int status = 0;
  const pid_t got = ::waitpid(pid, &status, WNOHANG);
  if (got == pid) return status;
  if (got < 0 && errno == ECHILD) return 0;
  return std::nullopt;
}

std::optional<int> reap(pid_t pid, std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  for (useconds_t pause = 1000;; pause = std::min<useconds_t>(pause * 2, 10000)) {
    if (const auto status = reap(pid)) return status;
    if (std::chrono::steady_clock::now() >= end) return std::nullopt;
    ::usleep(pause);
  }
}

bool is_runnable(pid_t pid) {
  const auto root = Root::live();
  if (!root) return false;
  const auto stat = root->read("proc/" + std::to_string(pid) + "/stat");
  const auto name_end = stat ? stat->rfind(')') : std::string::npos;
  return name_end != std::string::npos && stat->substr(name_end).starts_with(") R");
}

}  // namespace lk
