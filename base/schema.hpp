// The OpenAPI 3.1 (JSON Schema 2020-12) schema of described structs.
#pragma once

#include <map>

#include "base/json_write.hpp"

namespace lk {

// Schemas by name, as JSON text; adding one adds those it refers to.
class Schemas {
 public:
  template <Described T>
  void add() {
    const std::string name(T::kSchema);
    if (!texts_.try_emplace(name).second) return;
    JsonWriter out;
    out.begin_object();
    out.member("type", "object");
    out.key("properties");
    out.begin_object();
    for_each_field<T>([&](const auto& each) {
      out.key(each.name);
      using Member = std::remove_reference_t<decltype(std::declval<T&>().*each.member)>;
      describe<Member>(out, each.doc);
    });
    out.end_object();
    out.key("required");
    out.begin_array();
    for_each_field<T>([&](const auto& each) { out.value(each.name); });
    out.end_array();
    out.end_object();
    texts_[name] = out.take();
  }

  // Of a field's type, as JSON text: "integer", an array, a reference to a struct that is added.
  template <class T>
  std::string schema_of() {
    JsonWriter out;
    describe<T>(out, "");
    return out.take();
  }

  // Of a request's body: what json_read.hpp takes. Fields that may be left out are not required,
  // and no others are taken.
  template <Described T>
  std::string request_of() {
    JsonWriter out;
    out.begin_object();
    out.member("type", "object");
    out.member("additionalProperties", false);
    out.key("properties");
    out.begin_object();
    for_each_field<T>([&](const auto& each) {
      out.key(each.name);
      using Member = std::remove_reference_t<decltype(std::declval<T&>().*each.member)>;
      describe<Member>(out, each.doc);
    });
    out.end_object();
    out.key("required");
    out.begin_array();
    for_each_field<T>([&](const auto& each) {
      using Member = std::remove_cvref_t<decltype(std::declval<T&>().*each.member)>;
      if (!is_optional<Member>::value) out.value(each.name);
    });
    out.end_array();
    out.end_object();
    return out.take();
  }

  const std::map<std::string, std::string>& texts() const { return texts_; }

 private:
  template <class T>
  void describe(JsonWriter& out, std::string_view doc) {
    out.begin_object();
    if (!doc.empty()) out.member("description", doc);
    if constexpr (is_optional<T>::value) {
      out.key("anyOf");
      out.begin_array();
      describe<typename T::value_type>(out, "");
      out.begin_object();
      out.member("type", "null");
      out.end_object();
      out.end_array();
    } else {
      constraint<T>(out);
    }
    out.end_object();
  }

  template <class T>
  void constraint(JsonWriter& out) {
    if constexpr (std::same_as<T, bool>) {
      out.member("type", "boolean");
    } else if constexpr (std::integral<T>) {
      out.member("type", "integer");
    } else if constexpr (std::floating_point<T>) {
      out.member("type", "number");
    } else if constexpr (std::same_as<T, CpuSet>) {
      out.member("type", "string");
      out.member("pattern", "^([0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*)?$");
    } else if constexpr (NamedEnum<T>) {
      out.member("type", "string");
      out.key("enum");
      out.begin_array();
      for (const auto& each : names(T{})) out.value(each.second);
      out.end_array();
    } else if constexpr (is_vector<T>::value) {
      out.member("type", "array");
      out.key("items");
      describe<typename T::value_type>(out, "");
    } else if constexpr (is_string_map<T>::value) {
      out.member("type", "object");
      out.key("additionalProperties");
      describe<typename T::mapped_type>(out, "");
    } else if constexpr (Described<T>) {
      add<T>();
      out.member("$ref", "#/components/schemas/" + std::string(T::kSchema));
    } else {
      static_assert(std::same_as<T, std::string>, "a field's type has no schema");
      out.member("type", "string");
    }
  }

  std::map<std::string, std::string> texts_;
};

}  // namespace lk
