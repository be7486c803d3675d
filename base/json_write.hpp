// JSON out. Text is appended to one string: a whole inventory is written in one pass, without a
// tree in between (a host with 10,000 interrupts would need some hundred thousand nodes).
// Strings that are not UTF-8 (sysfs can hold any byte) get U+FFFD in place of what is wrong.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/fields.hpp"

namespace lk {

class JsonWriter {
 public:
  // `indent` 0 writes one line, else that many spaces a level.
  explicit JsonWriter(int indent = 0) : indent_(indent) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  void key(std::string_view name);
  void null() { token("null"); }
  void value(bool flag) { token(flag ? "true" : "false"); }
  void value(std::int64_t number);
  void value(std::uint64_t number);
  void value(double number);  // null for infinities and NaN: JSON has none
  void value(std::string_view text);
  void raw(std::string_view json) { token(json); }  // text that is JSON already

  template <class T>
  void member(std::string_view name, const T& content);

  std::string take() { return std::move(out_); }

 private:
  void open(char bracket);
  void close(char bracket);
  void token(std::string_view text);
  void separate();
  void new_line();

  std::string out_;
  int indent_;
  int depth_ = 0;
  bool first_ = true;
  bool after_key_ = false;
};

template <class T>
void write_json(JsonWriter& out, const T& content) {
  if constexpr (std::same_as<T, bool>) {
    out.value(content);
  } else if constexpr (std::signed_integral<T>) {
    out.value(static_cast<std::int64_t>(content));
  } else if constexpr (std::unsigned_integral<T>) {
    out.value(static_cast<std::uint64_t>(content));
  } else if constexpr (std::floating_point<T>) {
    out.value(static_cast<double>(content));
  } else if constexpr (std::convertible_to<const T&, std::string_view>) {
    out.value(std::string_view(content));
  } else if constexpr (std::same_as<T, CpuSet>) {
    out.value(std::string_view(content.to_list()));
  } else if constexpr (NamedEnum<T>) {
    out.value(name_of(content));
  } else if constexpr (is_optional<T>::value) {
    if (content) {
      write_json(out, *content);
    } else {
      out.null();
    }
  } else if constexpr (is_vector<T>::value) {
    out.begin_array();
    for (const auto& element : content) write_json(out, element);
    out.end_array();
  } else if constexpr (is_string_map<T>::value) {
    out.begin_object();
    for (const auto& [name, element] : content) out.member(name, element);
    out.end_object();
  } else {
    static_assert(Described<T>, "a field's type has no JSON form");
    out.begin_object();
    for_each_field<T>([&](const auto& each) { out.member(each.name, content.*each.member); });
    out.end_object();
  }
}

template <class T>
void JsonWriter::member(std::string_view name, const T& content) {
  key(name);
  write_json(*this, content);
}

template <class T>
std::string to_json(const T& content, int indent = 0) {
  JsonWriter out(indent);
  write_json(out, content);
  return out.take();
}

}  // namespace lk
