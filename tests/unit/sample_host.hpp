// A made-up storage server on which every knob has something to see: two packages with two nodes
// each, four drives (one without a node), cpufreq, C-states, rivals.
#pragma once

#include "probes/inventory.hpp"

namespace lk {

Inventory sample_host();

}  // namespace lk
