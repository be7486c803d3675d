#include "service/inventory_part.hpp"

#include "base/json_write.hpp"

namespace lk {

namespace {

template <class T>
constexpr bool is_part() {
  return Described<T> || is_vector<T>::value || is_string_map<T>::value || is_optional<T>::value;
}

template <class Visit>
void for_each_part(Visit&& visit) {
  for_each_field<Inventory>([&](const auto& each) {
    using Member = std::remove_cvref_t<decltype(std::declval<Inventory&>().*each.member)>;
    if constexpr (is_part<Member>()) visit(each);
  });
}

}  // namespace

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
