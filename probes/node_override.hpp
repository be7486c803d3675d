// Nodes that the configuration gives to drives (numa_nodes), by any name that a drive has.
#pragma once

#include "probes/probe.hpp"

namespace lk {

struct NamedDrive {
  const NvmeController* controller = nullptr;  // names, serial, slot and address are read
  std::string directory;                       // "sys/class/nvme/nvme0"; empty if it has none
};

// Nodes by controller id. A name that fits no drive, or drives that are not one, is booked as a
// Problem of "numa_nodes.<name>" and does nothing.
std::map<std::string, std::int64_t> resolve_node_overrides(ProbeContext& context,
                                                           const std::vector<NamedDrive>& drives);

}  // namespace lk
