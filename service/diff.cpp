#include "service/diff.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/json_read.hpp"
#include "base/text.hpp"

namespace lk {

namespace {

constexpr std::size_t kMostText = 400;

// The value as people write it: text without quotes, the rest as JSON.
std::string as_text(const Json& value) {
  auto text = value.is_string() ? value.get<std::string>()
                                : value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() <= kMostText) return text;
  std::size_t end = kMostText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return text.substr(0, end) + "...";
}

bool equal(const Json& a, const Json& b, double tolerance) {
  if (a == b) return true;
  if (tolerance <= 0 || !a.is_number() || !b.is_number()) return false;
  const double x = a.get<double>();
  const double y = b.get<double>();
  return std::abs(x - y) < tolerance * std::max(std::abs(x), std::abs(y));
}

std::string key_text(const Json& element, std::string_view keys) {
  if (!element.is_object()) return {};
  for (const auto key : split(keys, '|')) {
    const auto found = element.find(std::string(key));
    if (found != element.end() && !found->is_null()) return as_text(*found);
  }
  return {};
}

// The elements by their keys; those with a key that stands twice (a drive with two ports has two
// controllers of one serial) are told apart by the last alternative.
std::vector<std::pair<std::string, const Json*>> keyed(const Json& list, std::string_view keys) {
  std::map<std::string, int> seen;
  for (const auto& each : list) ++seen[key_text(each, keys)];
  const auto last = keys.substr(keys.rfind('|') + 1);
  std::vector<std::pair<std::string, const Json*>> out;
  for (const auto& each : list) {
    auto key = key_text(each, keys);
    if (seen[key] > 1) key += '/' + key_text(each, last);
    out.emplace_back(std::move(key), &each);
  }
  return out;
}

std::string target_name(std::string_view list, const Json& element, const std::string& key) {
  const auto member = [&](const char* name) {
    const auto found = element.find(name);
    return found == element.end() || found->is_null() ? key : as_text(*found);
  };
  if (list == "nvme.controllers") return "nvme:" + member("id");
  if (list == "nvme.namespaces") return "block:" + member("wwid");
  if (list == "block") return "block:" + key;
  if (list == "cpufreq.policies") return "policy:" + key;
  if (list == "numa.nodes") return "node:" + key;
  if (list == "probes") return "probe:" + key;
  return key;
}

// Where the walk stands.
struct Place {
  std::string field;
  std::string target;
};

class Walk {
 public:
  explicit Walk(InventoryDiff& out) : out_(out) {}

  void compare(const Place& place, const Json& from, const Json& to) {
    const bool lists = from.is_array() && to.is_array();
    if (from.is_object() && to.is_object()) return members(place, from, to);
    if (lists && !diff_keys(place.field).empty()) return keyed_elements(place, from, to);
    const auto objects = [](const Json& list) {
      return !list.empty() && std::all_of(list.begin(), list.end(),
                                          [](const Json& each) { return each.is_object(); });
    };
    if (lists && from.size() == to.size() && objects(from) && objects(to)) {
      for (std::size_t i = 0; i < from.size(); ++i) {
        compare({place.field + "[]", place.target}, from[i], to[i]);
      }
      return;
    }
    leaf(place, from, to);
  }

 private:
  void members(const Place& place, const Json& from, const Json& to) {
    std::set<std::string> names;
    for (const auto& item : from.items()) names.insert(item.key());
    for (const auto& item : to.items()) names.insert(item.key());
    const Json null;
    for (const auto& name : names) {
      const auto a = from.find(name);
      const auto b = to.find(name);
      const auto field = place.field.empty() ? name : place.field + '.' + name;
      compare({field, place.target}, a == from.end() ? null : *a, b == to.end() ? null : *b);
    }
  }

  void keyed_elements(const Place& place, const Json& from, const Json& to) {
    const auto keys = diff_keys(place.field);
    const auto before = keyed(from, keys);
    const auto after = keyed(to, keys);
    const auto find = [](const auto& list, const std::string& key) {
      return std::find_if(list.begin(), list.end(),
                          [&](const auto& each) { return each.first == key; });
    };
    const auto inner = [&](const std::string& key, const Json& element) {
      const auto name = target_name(place.field, element, key);
      return Place{place.field + "[]", place.target.empty() ? name : place.target + '/' + name};
    };
    for (const auto& [key, element] : before) {
      if (find(after, key) == after.end()) turn(inner(key, *element), Turn::removed, *element);
    }
    for (const auto& [key, element] : after) {
      const auto old = find(before, key);
      if (old == before.end()) {
        turn(inner(key, *element), Turn::added, *element);
      } else {
        compare(inner(key, *element), *old->second, *element);
      }
    }
  }

  void leaf(const Place& place, const Json& from, const Json& to) {
    const auto rule = diff_rule(place.field);
    if (!rule.subject || equal(from, to, rule.tolerance)) return;
    if (from.is_null() || to.is_null()) {
      const std::string side = from.is_null() ? "from" : "to";
      for (auto& known : out_.incomparable) {
        if (known.field != place.field || known.unknown_in != side) continue;
        known.targets.push_back(place.target);
        return;
      }
      out_.incomparable.push_back({place.field, targets(place), side});
      return;
    }
    add({*rule.subject, Turn::changed, place.field, targets(place), as_text(from), as_text(to)});
  }

  // An element as a whole: what it is called says enough.
  void turn(const Place& place, Turn turn, const Json& element) {
    const auto rule = diff_rule(place.field);
    if (!rule.subject) return;
    std::string label;
    for (const char* name : {"model", "serial", "status", "kind", "governor"}) {
      const auto found = element.find(name);
      if (found != element.end() && found->is_string()) {
        label += (label.empty() ? "" : " ") + found->get<std::string>();
      }
    }
    const auto text = label.empty() ? place.target : label;
    Difference difference{*rule.subject, turn, place.field, targets(place), {}, {}};
    (turn == Turn::added ? difference.to : difference.from) = text;
    add(std::move(difference));
  }

  void add(Difference difference) {
    for (auto& known : out_.differences) {
      if (known.field != difference.field || known.turn != difference.turn ||
          known.from != difference.from || known.to != difference.to) {
        continue;
      }
      known.targets.insert(known.targets.end(), difference.targets.begin(),
                           difference.targets.end());
      return;
    }
    out_.differences.push_back(std::move(difference));
  }

  static std::vector<std::string> targets(const Place& place) {
    if (place.target.empty()) return {};
    return {place.target};
  }

  InventoryDiff& out_;
};

// Without what diff_rules.cpp leaves out and a large host has thousands of.
Json compared_part(const Inventory& inventory) {
  Inventory part = inventory;
  part.irqs.clear();
  for (auto& each : part.nvme.controllers) each.queues.clear();
  return Json::parse(inventory_json(part));
}

// The list at a pointer; null if there is none.
Json* list_at(Json& document, const char* pointer) {
  const Json::json_pointer where(pointer);
  if (!document.contains(where)) return nullptr;
  auto& found = document[where];
  return found.is_array() ? &found : nullptr;
}

template <class Unwanted>
void erase_if(Json* list, Unwanted unwanted) {
  if (list == nullptr) return;
  list->erase(std::remove_if(list->begin(), list->end(), unwanted), list->end());
}

// Values that are told in two places, and who is only passing by.
void leave_out(Json& document) {
  std::set<std::string> namespaces;
  if (const auto* list = list_at(document, "/nvme/namespaces")) {
    for (const auto& each : *list) namespaces.insert(key_text(each, "name"));
  }
  erase_if(list_at(document, "/block"),
           [&](const Json& each) { return namespaces.contains(key_text(each, "name")); });
  if (auto* controllers = list_at(document, "/nvme/controllers")) {
    for (auto& each : *controllers) {
      erase_if(list_at(each, "/owners"),
               [](const Json& owner) { return key_text(owner, "kind") == "process"; });
    }
  }
}

DiffSide side_of(const Json& document) {
  const auto generation = document.find("generation");
  const bool counted = generation != document.end() && generation->is_number_integer();
  return {key_text(document, "boot_id"), key_text(document, "collected_at"),
          counted ? generation->get<std::int64_t>() : 0};
}

InventoryDiff diff_json(Json from, Json to) {
  InventoryDiff out{side_of(from), side_of(to), {}, {}};
  leave_out(from);
  leave_out(to);
  Walk(out).compare({}, from, to);
  std::stable_sort(out.differences.begin(), out.differences.end(),
                   [](const Difference& a, const Difference& b) { return a.subject < b.subject; });
  return out;
}

Result<Json> parse_inventory(std::string_view text) {
  auto json = parse_json(text);
  if (!json) return json;
  for (const char* member : {"boot_id", "host", "nvme", "numa"}) {
    if (!json->is_object() || !json->contains(member)) {
      return Error{std::string("is no inventory: it has no \"") + member + '"', {}, 0};
    }
  }
  return json;
}

}  // namespace

InventoryDiff diff(const Inventory& from, const Inventory& to) {
  return diff_json(compared_part(from), compared_part(to));
}

Result<InventoryDiff> diff_documents(const Document& from, const Document& to) {
  std::array<Json, 2> sides;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const auto& each = i == 0 ? from : to;
    auto json = parse_inventory(each.text);
    if (!json) return Error{each.name + ": " + json.error().message(), {}, 0};
    sides.at(i) = *std::move(json);
  }
  return diff_json(std::move(sides[0]), std::move(sides[1]));
}

}  // namespace lk
