#include "tuners/value.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.hpp"

namespace lk {

namespace {

Error bad(const std::string& what) {
  return Error{what, {}, 0};
}

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '+' || c == '.' || c == ':';
}

Result<Value> parse_value(std::string_view raw) {
  const auto text = trim(raw);
  if (text.empty()) return bad("a value is missing");
  if (const auto number = parse_int(text)) return Value{*number};
  if (!std::all_of(text.begin(), text.end(), is_word_character)) {
    return bad("\"" + std::string(text) + "\" is neither a number nor a word");
  }
  constexpr std::array kAmbiguous{"true", "false", "yes", "no"};
  if (std::find(kAmbiguous.begin(), kAmbiguous.end(), text) != kAmbiguous.end()) {
    return bad("\"" + std::string(text) + "\" is not a value; switches are \"on\" and \"off\"");
  }
  return Value{std::string(text)};
}

Result<std::vector<Value>> parse_alternatives(std::string_view text, char separator) {
  std::vector<Value> values;
  for (const auto piece : split(text, separator)) {
    auto value = parse_value(piece);
    if (!value) return value.error();
    if (std::find(values.begin(), values.end(), *value) != values.end()) {
      return bad("\"" + to_text(*value) + "\" stands twice");
    }
    values.push_back(*std::move(value));
  }
  return values;
}

std::string joined(const std::vector<Value>& values) {
  std::string text;
  for (const auto& value : values) text += (text.empty() ? "" : "|") + to_text(value);
  return text;
}

struct Operator {
  std::string_view sign;
  Comparison comparison;
};
// Longer signs first: "<=" before "<".
constexpr std::array kOperators{Operator{"<=", Comparison::at_most},
                                Operator{">=", Comparison::at_least},
                                Operator{"<", Comparison::below}, Operator{">", Comparison::above}};

Result<Expectation> parse_range(std::string_view text, std::size_t dots) {
  const auto first = parse_int(text.substr(0, dots));
  const auto last = parse_int(text.substr(dots + 2));
  if (!first || !last) return bad("a range is two whole numbers: 1..8");
  if (*first > *last) return bad("the range is empty: its first number is above its last");
  return Expectation{Comparison::range,
                     {Value{*first}, Value{*last}},
                     std::to_string(*first) + ".." + std::to_string(*last)};
}

std::optional<std::int64_t> number_of(const Value& value, const References& references) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  const auto found = references.find(std::get<std::string>(value));
  if (found == references.end()) return std::nullopt;
  return found->second;
}

bool compare(Comparison comparison, std::int64_t value, std::int64_t limit) {
  switch (comparison) {
    case Comparison::at_most:
      return value <= limit;
    case Comparison::at_least:
      return value >= limit;
    case Comparison::below:
      return value < limit;
    default:
      return value > limit;
  }
}

}  // namespace

std::string to_text(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return std::get<std::string>(value);
}

Result<Expectation> Expectation::parse(std::string_view raw) {
  const auto text = trim(raw);
  if (text.empty()) return bad("the expectation is empty");
  if (text == "any") return Expectation{Comparison::any, {}, "any"};
  for (const auto& [sign, comparison] : kOperators) {
    if (!text.starts_with(sign)) continue;
    auto value = parse_value(text.substr(sign.size()));
    if (!value) return value.error();
    return Expectation{comparison, {*value}, std::string(sign) + " " + to_text(*value)};
  }
  if (text.starts_with("!=")) {
    auto values = parse_alternatives(text.substr(2), '|');
    if (!values) return values.error();
    return Expectation{Comparison::none_of, *values, "!= " + joined(*values)};
  }
  if (const auto dots = text.find(".."); dots != std::string_view::npos) {
    return parse_range(text, dots);
  }
  const bool set = text.starts_with('[') && text.ends_with(']') && text.size() > 1;
  auto values = set ? parse_alternatives(text.substr(1, text.size() - 2), ',')
                    : parse_alternatives(text, '|');
  if (!values) return values.error();
  return Expectation{Comparison::one_of, *values, joined(*values)};
}

Met meets(const Value& value, const Expectation& wanted, const References& references) {
  const auto verdict = [](bool met) { return met ? Met::yes : Met::no; };
  const auto& values = wanted.values;
  const bool listed = std::find(values.begin(), values.end(), value) != values.end();
  switch (wanted.comparison) {
    case Comparison::any:
      return Met::yes;
    case Comparison::one_of:
      return verdict(listed);
    case Comparison::none_of:
      return verdict(!listed);
    default:
      break;
  }
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number == nullptr) return Met::no;  // "auto" is not at most 10
  const auto limit = number_of(values.front(), references);
  if (!limit) return Met::no_reference;
  if (wanted.comparison != Comparison::range) {
    return verdict(compare(wanted.comparison, *number, *limit));
  }
  return verdict(*number >= *limit && *number <= std::get<std::int64_t>(values.back()));
}

}  // namespace lk
