// Makes this process local to a drive, and becomes another program.
#pragma once

#include "service/placement.hpp"

namespace lk {

// Sets the CPUs that this thread (and what it becomes) may run on, and where its memory comes from;
// reads both back. An Error if either is not in effect as asked: then nothing may be run.
Status go_near(const Placement& placement, MemoryPolicy policy);

// Replaces this process; returns only if that fails, with errno in the Error.
Error become(const std::vector<std::string>& command);

}  // namespace lk
