// NVMe disks in sysfs: namespaces, multipath heads and their hidden paths. kernel.md 2.1.
//
// A head nvmeSnN carries its subsystem's number, its paths nvmeScCnN the subsystem's and the
// controller's. What belongs to which controller is told by directories alone: the number in
// "nvme0n1" says nothing about it.
#pragma once

#include "probes/owners.hpp"
#include "probes/probe.hpp"

namespace lk {

struct NvmeDisk {
  std::string name;       // "nvme0c1n1", or "nvme0n1" where there is no head
  std::string directory;  // "sys/class/nvme/nvme1/nvme0c1n1"
  std::string head;       // the namespace: "nvme0n1"
  bool is_path = false;   // a hidden path of a head
};

// The disks below a controller's directory, by name.
std::vector<NvmeDisk> disks_of(const Root& root, const std::string& controller_directory);

// Fills inventory.nvme.namespaces from the disks of all controllers (by controller name).
void read_namespaces(ProbeContext& context,
                     const std::map<std::string, std::vector<NvmeDisk>>& disks,
                     const OwnerMap& owners);

}  // namespace lk
