// From observations to findings: targets of one check that share verdict, value and waiver are one.
#pragma once

#include "tuners/profile.hpp"
#include "tuners/waiver.hpp"

namespace lk {

Finding not_applicable_finding(const Check& check, const Knob& knob, const std::string& reason);

// Worst verdict first, what is waived after what is not.
std::vector<Finding> group_findings(const Check& check, const Knob& knob,
                                    const ObservationGroup& seen, const WaiverMatch& waivers);

// Replaces what was found for one rival tuner by a warning that names the contested knobs.
void contest(const Check& check, const Knob& knob, const Observation& rival,
             const std::vector<std::string>& contested, const WaiverMatch& waivers,
             std::vector<Finding>& findings);

// "where (role: data, transport: pcie)"
std::string where_text(const Check& check);

// "cpu:0-3,8" from "cpu:0", "cpu:1", ...; sorted, each kind of target by itself.
std::vector<std::string> compact_targets(std::vector<std::string> targets);
// The reverse.
std::vector<std::string> expand_targets(const std::vector<std::string>& compact);

}  // namespace lk
