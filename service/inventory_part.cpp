#include "service/inventory_part.hpp"

#include "base/json_write.hpp"

namespace lk {

std::vector<std::string> inventory_parts() {
  std::vector<std::string> names;
  for_each_part([&](const auto& each) { names.emplace_back(each.name); });
  return names;
}

std::optional<std::string> inventory_part_json(const Inventory& inventory, std::string_view part,
                                               int indent) {
  std::optional<std::string> json;
  for_each_part([&](const auto& each) {
    if (each.name == part) json = to_json(inventory.*each.member, indent);
  });
  return json;
}

}  // namespace lk
