// Which NUMA node a PCI function really hangs on. kernel.md 2.3: -1 is normal on one node and on
// many virtual machines, and old kernels hid it by naming the first memory node instead.
#pragma once

#include "probes/inventory.hpp"

namespace lk {

struct NodeEvidence {
  std::optional<std::int64_t> reported;            // the function's numa_node
  std::vector<std::optional<std::int64_t>> ports;  // numa_node of what stands above, root first
  std::optional<std::int64_t> override_node;       // from the configuration
  std::optional<std::string> kernel;               // host.kernel
};

struct NodeVerdict {
  std::optional<std::int64_t> node;  // null if unknown
  NodeSource source = NodeSource::unknown;
  Confidence confidence = Confidence::low;
  std::string why;  // for people, where node is null
};

// Pure. `numa` may be empty where the capture holds no nodes; a reported node is then believed.
NodeVerdict attribute_node(const NodeEvidence& evidence, const Numa& numa);

// Whether this kernel's nvme driver may name the first memory node for a device without one. True
// for releases before the fix (6.1.56, 6.5.6, 6.6) and where that cannot be told.
bool kernel_may_default_node(const std::optional<std::string>& release);

}  // namespace lk
