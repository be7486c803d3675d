// Takes what names a machine, a drive or a person out of a capture: serials, UUIDs, WWNs, NQNs,
// EUIs, MAC and IP addresses, the host name, and secrets on the kernel command line. The same
// secret gets the same replacement everywhere, so that what joins by it still joins.
#pragma once

#include "service/capture.hpp"

namespace lk {

struct Redacted {
  TreeEntries entries;
  std::size_t secrets = 0;
};

// Error if, after all, one of the secrets that were found is still somewhere in the result.
Result<Redacted> redact_tree(TreeEntries entries);

}  // namespace lk
