// The audit: inventory and profile in, findings out. Pure: it reads nothing, keeps nothing.
#pragma once

#include "tuners/profile.hpp"
#include "tuners/waiver.hpp"

namespace lk {

// `waivers`: those that hold now.
Audit run_audit(const Inventory& inventory, const Profile& profile,
                const std::vector<std::string>& only = {}, std::span<const Waiver> waivers = {});

// The exit status of `lanekeeper audit`: 0 clean, 1 an unwaived fail at or above `level`,
// 3 nothing failed but a check at that level is unknown or locked.
int audit_exit_status(const Audit& audit, Severity level);

std::string audit_json(const Audit& audit, int indent = 0);

}  // namespace lk
