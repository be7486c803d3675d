// One part of an inventory by its name, as JSON: "host", "cpu", "nvme", ...
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "probes/inventory.hpp"

namespace lk {

std::vector<std::string> inventory_parts();
// Absent if there is no such part.
std::optional<std::string> inventory_part_json(const Inventory& inventory, std::string_view part,
                                               int indent = 0);

}  // namespace lk
