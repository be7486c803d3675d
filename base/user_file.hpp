// Ordinary files that people name: configuration, profiles, saved inventories. Kernel files are
// opened through Root.
#pragma once

#include <string>

#include "base/result.hpp"

namespace lk {

// The text of a regular file, at most `limit` bytes and a little more, so that the caller can tell
// one that is too long. Never waits for a FIFO or a device.
Result<std::string> read_user_file(const std::string& file, std::size_t limit);

}  // namespace lk
