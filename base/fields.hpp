// One description per struct gives JSON out (json_write.hpp), strict JSON in (json_read.hpp) and
// the OpenAPI schema (schema.hpp).
//
//   struct Link {
//     std::optional<double> speed_gts;
//     static constexpr std::string_view kSchema = "Link";
//     template <class Self = Link>
//     static constexpr auto fields() {
//       return std::tuple{field("speed_gts", &Self::speed_gts, "GT/s now; current_link_speed")};
//     }
//   };
//
// A template, so that only files that use the description pay for compiling it: it triples the time
// of a file that includes the whole inventory.
//
// Kinds of member: bool, integers, double, std::string, CpuSet (a canonical list), enums that have
// a names() overload, described structs, std::optional (null when absent, never left out),
// std::vector and std::map<std::string, T>.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/cpuset.hpp"

namespace lk {

template <class Struct, class Member>
struct Field {
  std::string_view name;
  Member Struct::*member;
  std::string_view doc;
};

template <class Struct, class Member>
constexpr Field<Struct, Member> field(std::string_view name, Member Struct::*member,
                                      std::string_view doc) {
  return {name, member, doc};
}

template <class T>
concept Described = requires {
  T::fields();
  { T::kSchema } -> std::convertible_to<std::string_view>;
};

// Enums: `constexpr auto names(Kind) { return EnumNames<Kind, 2>{{{Kind::a, "a"}, ...}}; }`,
// found by argument-dependent look-up.
template <class E, std::size_t N>
using EnumNames = std::array<std::pair<E, std::string_view>, N>;

template <class T>
concept NamedEnum = std::is_enum_v<T> && requires(T value) {
  names(value);
};

template <NamedEnum E>
constexpr std::string_view name_of(E value) {
  for (const auto& [candidate, name] : names(value)) {
    if (candidate == value) return name;
  }
  return "unknown";
}

template <NamedEnum E>
constexpr std::optional<E> from_name(std::string_view text) {
  for (const auto& [value, name] : names(E{})) {
    if (name == text) return value;
  }
  return std::nullopt;
}

template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};
template <class T>
struct is_vector : std::false_type {};
template <class T>
struct is_vector<std::vector<T>> : std::true_type {};
template <class T>
struct is_string_map : std::false_type {};
template <class T>
struct is_string_map<std::map<std::string, T>> : std::true_type {};

// Calls `visit(field)` for each field, in order.
template <Described T, class Visit>
constexpr void for_each_field(Visit&& visit) {
  std::apply([&](const auto&... each) { (visit(each), ...); }, T::fields());
}

}  // namespace lk
