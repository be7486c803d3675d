// docs/knobs.md, from the knobs themselves: a test keeps the file current.
#pragma once

#include "tuners/knob.hpp"

namespace lk {

// One knob: title, properties, what it is and why.
std::string knob_markdown(const Knob& knob);
// The whole page.
std::string knobs_markdown();

}  // namespace lk
