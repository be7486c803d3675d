// What a capture keeps of processes: their names, which of them hold a drive or the latency limit
// open, and of those that do their unit, where they may run and where their memory is. Never a
// command line, an environment or the name of a file.
#pragma once

#include "service/capture_walk.hpp"

namespace lk {

void capture_processes(CaptureWalk& walk);

}  // namespace lk
