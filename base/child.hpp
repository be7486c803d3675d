// A disposable process: this program run again, with pipes to its standard input and output.
// What may hang in the kernel happens there, and nobody has to wait for it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace lk {

struct Child {
  pid_t pid = -1;
  int in = -1;   // our end of its standard input; the caller closes it
  int out = -1;  // our end of its standard output; likewise
};

// Runs `<executable> <command>` with that environment ("NAME=value") and no signal blocked.
Result<Child> start_child(const std::string& executable, const std::string& command,
                          std::vector<std::string> environment);
// This process's own environment.
std::vector<std::string> own_environment();

// False if the other side is gone; SIGPIPE must be ignored.
bool write_all(int fd, std::string_view text);
// Everything until the other side closes.
std::string read_all(int fd);

// Whether it runs or is ready to: on a busy host a process that is slow is not one that hangs.
bool is_runnable(pid_t pid);

// Its wait status if the process has ended; 0 if it never was ours. Never waits.
std::optional<int> reap(pid_t pid);
// The same, within `patience`.
std::optional<int> reap(pid_t pid, std::chrono::milliseconds patience);

}  // namespace lk
