// An audit for people.
#pragma once

#include "daemon/terminal.hpp"
#include "tuners/audit.hpp"

namespace lk {

// The table, worst first, a one-line summary and `next`, a command (empty: none). Without `all`,
// findings that pass or do not apply are only counted.
std::string audit_text(const Audit& audit, const Inventory& inventory, bool all,
                       const std::string& next, const Terminal& terminal);
// The check to look at first; empty if there is nothing to do.
std::string worst_check(const Audit& audit);

}  // namespace lk
