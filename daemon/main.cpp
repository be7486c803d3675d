#include <csignal>
#include <cstdio>
#include <exception>

#include "daemon/command.hpp"
#include "daemon/terminal.hpp"

int main(int argc, char** argv) {
  // A pipe that nobody reads any more is an ordinary answer of write(2): print() and the reader.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    const auto parsed = lk::parse_command_line(argc, argv);
    return parsed.command == nullptr ? parsed.status : parsed.command->run(parsed.arguments);
  } catch (const std::exception& error) {
    lk::complain(std::string("internal error: ") + error.what());
    return lk::kFailed;
  }
}
