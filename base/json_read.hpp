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
// The error, seen from the element that holds it under `key`.
Error within(Error error, std::string_view key);
Error unknown_key(const std::string& pointer, const std::string& key,
                  const std::vector<std::string>& known);

// Decodes `json` into `out`. Error.path is the JSON pointer from `json` on, put together only when
// there is an error: an inventory has tens of thousands of values.
template <class T>
Status read_json(const Json& json, T& out);

// The first key that is no field; without one, `otherwise`.
template <Described T>
Status unknown_or(const Json& json, Status otherwise) {
  std::vector<std::string> known;
  for_each_field<T>([&](const auto& each) { known.emplace_back(each.name); });
  for (const auto& item : json.items()) {
    if (std::find(known.begin(), known.end(), item.key()) == known.end()) {
      return unknown_key("", item.key(), known);
    }
  }
  return otherwise;
}

template <Described T>
Status read_struct(const Json& json, T& out) {
  if (!json.is_object()) return json_error("", "an object is wanted");
  Status status = ok_status();
  std::size_t found_keys = 0;
  for_each_field<T>([&](const auto& each) {
    if (!status) return;
    using Member = std::remove_reference_t<decltype(out.*each.member)>;
    const auto found = json.find(each.name);
    if (found != json.end()) {
      ++found_keys;
      status = read_json(*found, out.*each.member);
      if (!status) status = within(std::move(status).error(), each.name);
    } else if (!is_optional<Member>::value) {
      status = json_error(pointer_join("", each.name), "is missing");
    }
  });
  // A misspelt key is the better message for one that is missing.
  if (found_keys < json.size()) status = unknown_or<T>(json, std::move(status));
  return status;
}

template <class Number>
Status read_number(const Json& json, Number& out) {
  if constexpr (std::floating_point<Number>) {
    if (!json.is_number()) return json_error("", "a number is wanted");
    out = json.get<Number>();
  } else {
    if (!json.is_number_integer()) return json_error("", "a whole number is wanted");
    const bool fits = json.is_number_unsigned() ? std::in_range<Number>(json.get<std::uint64_t>())
                                                : std::in_range<Number>(json.get<std::int64_t>());
    if (!fits) return json_error("", "the number is out of range");
    out = json.get<Number>();
  }
  return ok_status();
}

// Strings, CPU sets and enums.
template <class T>
Status read_string(const Json& json, T& out) {
  if (!json.is_string()) return json_error("", "a string is wanted");
  const auto& text = json.get_ref<const std::string&>();
  if constexpr (std::same_as<T, std::string>) {
    out = text;
  } else if constexpr (std::same_as<T, CpuSet>) {
    auto set = CpuSet::parse_list(text);
    if (!set) return json_error("", set.error().what);
    out = *std::move(set);
  } else {
    const auto value = from_name<T>(text);
    if (!value) {
      std::vector<std::string> known;
      for (const auto& each : names(T{})) known.emplace_back(each.second);
      return unknown_key("", text, known);
    }
    out = *value;
  }
  return ok_status();
}

template <class T>
Status read_json(const Json& json, T& out) {
  if constexpr (std::same_as<T, bool>) {
    if (!json.is_boolean()) return json_error("", "true or false is wanted");
    out = json.get<bool>();
    return ok_status();
  } else if constexpr (std::is_arithmetic_v<T>) {
    return read_number(json, out);
  } else if constexpr (is_optional<T>::value) {
    if (json.is_null()) {
      out.reset();
      return ok_status();
    }
    return read_json(json, out.emplace());
  } else if constexpr (is_vector<T>::value) {
    if (!json.is_array()) return json_error("", "a list is wanted");
    out.clear();
    for (const auto& element : json) {
      if (auto status = read_json(element, out.emplace_back()); !status) {
        return within(std::move(status).error(), std::to_string(out.size() - 1));
      }
    }
    return ok_status();
  } else if constexpr (is_string_map<T>::value) {
    if (!json.is_object()) return json_error("", "an object is wanted");
    out.clear();
    for (const auto& item : json.items()) {
      if (auto status = read_json(item.value(), out[item.key()]); !status) {
        return within(std::move(status).error(), item.key());
      }
    }
    return ok_status();
  } else if constexpr (Described<T>) {
    return read_struct(json, out);
  } else {
    return read_string(json, out);
  }
}

// `whole` is the parsed text; an error at its top is at "/".
template <class T>
Result<T> decode(const Json& whole) {
  T out{};
  if (auto status = read_json(whole, out); !status) {
    auto error = std::move(status).error();
    if (error.path.empty()) error.path.push_back('/');
    return error;
  }
  return out;
}

template <class T>
Result<T> from_json(std::string_view text) {
  const auto json = parse_json(text);
  if (!json) return json.error();
  return decode<T>(*json);
}

}  // namespace lk
