#include <unistd.h>

#include "daemon/command.hpp"
#include "probes/reader.hpp"

namespace lk {

// The disposable process that reads the host: started by Reader, never by people.
Command reader_command() {
  return {.name = "reader",
          .summary = "read the host for the process that started this one",
          .run = [](const Arguments&) { return reader_main(STDIN_FILENO, STDOUT_FILENO); },
          .hidden = true};
}

}  // namespace lk
