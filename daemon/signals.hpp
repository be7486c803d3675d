// SIGPIPE: ignored while Lanekeeper runs, as it was where another program takes over.
#pragma once

namespace lk {

// A pipe that nobody reads any more is an ordinary answer of write(2).
void ignore_broken_pipes();
// As it was before the first ignore_broken_pipes().
void restore_broken_pipes();

}  // namespace lk
