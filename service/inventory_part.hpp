// One part of an inventory by its name, as JSON: "host", "cpu", "nvme", ...
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "probes/inventory.hpp"

namespace lk {

// Calls `visit(field)` for each part, in order: what is no single value. `--part` and the routes
// below /v1/inventory are both made from this.
template <class Visit>
void for_each_part(Visit&& visit) {
  for_each_field<Inventory>([&](const auto& each) {
    using Member = std::remove_cvref_t<decltype(std::declval<Inventory&>().*each.member)>;
    if constexpr (Described<Member> || is_vector<Member>::value || is_string_map<Member>::value ||
                  is_optional<Member>::value) {
      visit(each);
    }
  });
}

std::vector<std::string> inventory_parts();
// Absent if there is no such part.
std::optional<std::string> inventory_part_json(const Inventory& inventory, std::string_view part,
                                               int indent = 0);

}  // namespace lk
