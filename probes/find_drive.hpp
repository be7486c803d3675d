// Looks drives up by any name that people use for them: controller or namespace name (also as
// /dev path), serial, PCI address (domain 0000 may be left out), slot, wwid, or the id itself.
#pragma once

#include "probes/inventory.hpp"

namespace lk {

// All controllers that `name` fits: none, one, or several (a serial that two ports share, a slot
// number that is a serial elsewhere, a shared namespace). An id or a controller name that fits
// exactly wins over everything else. The pointers live as long as the inventory.
std::vector<const NvmeController*> find_drive(const Inventory& inventory, std::string_view name);

// The same for block[], where disks without an NVMe controller are: name, serial, wwid, number.
std::vector<const BlockDevice*> find_disk(const Inventory& inventory, std::string_view name);

// The wwid of the controller's first namespace; null if it has none that is known.
std::optional<std::string> drive_wwid(const Inventory& inventory, const NvmeController& drive);

}  // namespace lk
