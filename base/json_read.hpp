// Strict JSON in: an unknown key, a wrong type, a missing required key or a duplicate key is
// refused, with a JSON pointer to it. Include this in few files: nlohmann/json is heavy to compile.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>

#include "base/fields.hpp"
#include "base/result.hpp"

namespace lk {

using Json = nlohmann::json;

// Parses text. Refuses duplicate keys and nesting deeper than `depth`. Error.path is empty;
// Error.what says at which byte.
Result<Json> parse_json(std::string_view text, int depth = 32);

// "/checks/0/expect" for error messages; RFC 6901.
std::string pointer_join(const std::string& parent, std::string_view key);

Error json_error(const std::string& pointer, const std::string& what);
Error unknown_key(const std::string& pointer, const std::string& key,
                  const std::vector<std::string>& known);

// Decodes `json` into `out`. Errors carry the JSON pointer in Error.path.
template <class T>
Status read_json(const Json& json, T& out, const std::string& pointer = "");

template <Described T>
Status read_struct(const Json& json, T& out, const std::string& pointer) {
  if (!json.is_object()) return json_error(pointer, "an object is wanted");
  std::vector<std::string> known;
  for_each_field<T>([&](const auto& each) { known.emplace_back(each.name); });
  for (const auto& item : json.items()) {
    if (std::find(known.begin(), known.end(), item.key()) == known.end()) {
      return unknown_key(pointer, item.key(), known);
    }
  }
  Status status = ok_status();
  for_each_field<T>([&](const auto& each) {
    if (!status) return;
    using Member = std::remove_reference_t<decltype(out.*each.member)>;
    const auto found = json.find(std::string(each.name));
    if (found != json.end()) {
      status = read_json(*found, out.*each.member, pointer_join(pointer, each.name));
    } else if (!is_optional<Member>::value) {
      status = json_error(pointer_join(pointer, each.name), "is missing");
    }
  });
  return status;
}

template <class Number>
Status read_number(const Json& json, Number& out, const std::string& pointer) {
  if constexpr (std::floating_point<Number>) {
    if (!json.is_number()) return json_error(pointer, "a number is wanted");
    out = json.get<Number>();
  } else {
    if (!json.is_number_integer()) return json_error(pointer, "a whole number is wanted");
    const bool fits = json.is_number_unsigned() ? std::in_range<Number>(json.get<std::uint64_t>())
                                                : std::in_range<Number>(json.get<std::int64_t>());
    if (!fits) return json_error(pointer, "the number is out of range");
    out = json.get<Number>();
  }
  return ok_status();
}

template <class T>
Status read_json(const Json& json, T& out, const std::string& pointer) {
  if constexpr (std::same_as<T, bool>) {
    if (!json.is_boolean()) return json_error(pointer, "true or false is wanted");
    out = json.get<bool>();
    return ok_status();
  } else if constexpr (std::is_arithmetic_v<T>) {
    return read_number(json, out, pointer);
  } else if constexpr (is_optional<T>::value) {
    if (json.is_null()) {
      out.reset();
      return ok_status();
    }
    return read_json(json, out.emplace(), pointer);
  } else if constexpr (is_vector<T>::value) {
    if (!json.is_array()) return json_error(pointer, "a list is wanted");
    out.clear();
    for (const auto& element : json) {
      const auto at = pointer_join(pointer, std::to_string(out.size()));
      if (auto status = read_json(element, out.emplace_back(), at); !status) return status;
    }
    return ok_status();
  } else if constexpr (is_string_map<T>::value) {
    if (!json.is_object()) return json_error(pointer, "an object is wanted");
    out.clear();
    for (const auto& item : json.items()) {
      const auto at = pointer_join(pointer, item.key());
      if (auto status = read_json(item.value(), out[item.key()], at); !status) return status;
    }
    return ok_status();
  } else if constexpr (Described<T>) {
    return read_struct(json, out, pointer);
  } else {
    if (!json.is_string()) return json_error(pointer, "a string is wanted");
    const auto& text = json.get_ref<const std::string&>();
    if constexpr (std::same_as<T, std::string>) {
      out = text;
    } else if constexpr (std::same_as<T, CpuSet>) {
      auto set = CpuSet::parse_list(text);
      if (!set) return json_error(pointer, set.error().what);
      out = *std::move(set);
    } else {
      const auto value = from_name<T>(text);
      if (!value) {
        std::vector<std::string> known;
        for (const auto& each : names(T{})) known.emplace_back(each.second);
        return unknown_key(pointer, text, known);
      }
      out = *value;
    }
    return ok_status();
  }
}

template <class T>
Result<T> from_json(std::string_view text) {
  const auto json = parse_json(text);
  if (!json) return json.error();
  T out{};
  if (auto status = read_json(*json, out); !status) return status.error();
  return out;
}

}  // namespace lk
