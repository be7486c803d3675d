// An audit for people.
#pragma once

#include "daemon/terminal.hpp"
#include "tuners/audit.hpp"

namespace lk {

// The table, worst first, a one-line summary and the next command. Without `all`, findings that
// pass or do not apply are only counted.
std::string audit_text(const Audit& audit, const Inventory& inventory, bool all,
                       const Terminal& terminal);

}  // namespace lk
