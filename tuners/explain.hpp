// One check in words, for people.
#pragma once

#include "tuners/audit.hpp"

namespace lk {

// What the check is, what is expected and why, what was found where with the evidence, and the
// next command. Empty if neither the profile nor the registry knows `check`; a knob that the
// profile does not check is described without findings.
std::string explain(const Audit& audit, const Profile& profile, std::string_view check);

}  // namespace lk
