// Where a program has to run to be local to a drive: the CPUs of the drive's node that may be used,
// and the node to take memory from. Pure; changes nothing.
#pragma once

#include "probes/inventory.hpp"

namespace lk {

struct Placement {
  const NvmeController* drive = nullptr;  // in the inventory that was asked
  std::int64_t node = 0;
  CpuSet cpus;                     // never empty
  std::int64_t memory_node = 0;    // another one where the drive's node has no memory
  std::vector<std::string> notes;  // what was left out or is unsure; sentences without full stop
};

// `drive`: name, serial, PCI address, slot or wwid. Left out of the CPUs are those that are
// offline, isolated, or not allowed to this process. Errors say what to do: no such drive, several
// drives on different nodes, a drive whose node is not known, no CPU left.
Result<Placement> place_near(const Inventory& inventory, std::string_view drive);

enum class MemoryPolicy { prefer, bind };
constexpr auto names(MemoryPolicy) {
  return EnumNames<MemoryPolicy, 2>{
      {{MemoryPolicy::prefer, "prefer"}, {MemoryPolicy::bind, "bind"}}};
}

enum class PlacementFormat { numactl, systemd, cpuset, fio };
constexpr auto names(PlacementFormat) {
  using F = PlacementFormat;
  return EnumNames<F, 4>{
      {{F::numactl, "numactl"}, {F::systemd, "systemd"}, {F::cpuset, "cpuset"}, {F::fio, "fio"}}};
}

// Lines for the named tool. systemd: a drop-in file, the notes in it as comments. A cpuset knows no
// preference: its memory is bound whatever `policy` says.
std::string placement_text(const Placement& placement, PlacementFormat format, MemoryPolicy policy);

}  // namespace lk
