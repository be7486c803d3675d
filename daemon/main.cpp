#include <fcntl.h>

#include <cstdio>
#include <exception>

#include "daemon/command.hpp"
#include "daemon/signals.hpp"
#include "daemon/terminal.hpp"

namespace {

// cron and some supervisors start programs without standard input; what is opened next would take
// its number, and a child that gets a pipe there would find it closed.
void fill_standard_descriptors() {
  for (int fd = 0; fd < 3; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", O_RDONLY) < 0) return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  fill_standard_descriptors();
  lk::ignore_broken_pipes();
  try {
    const auto parsed = lk::parse_command_line(argc, argv);
    return parsed.command == nullptr ? parsed.status : parsed.command->run(parsed.arguments);
  } catch (const std::exception& error) {
    lk::complain(std::string("internal error: ") + error.what());
    return lk::kFailed;
  }
}
