// What kind of sub-NUMA clustering the nodes come from, and what does not fit together in the
// firmware's tables. Pure functions of an inventory whose host, cpu and numa.nodes are filled in.
// kernel.md 1.4 to 1.6.
#pragma once

#include "probes/inventory.hpp"

namespace lk {

Clustering classify_clustering(const Inventory& inventory);
Enumeration classify_enumeration(const Inventory& inventory);
std::vector<std::string> numa_warnings(const Inventory& inventory);

}  // namespace lk
