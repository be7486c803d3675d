// Values of knobs, and what a profile may expect of them.
//
//   none            the word, or the number, itself
//   none|kyber      any of these; the first one offered is what a plan would choose
//   "<= 10"         also >= < > !=
//   "1..8"          a range, both ends included
//   [0, 2]          a set, the same as 0|2
//   any             any value at all
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"

namespace lk {

// A number or a word. Booleans are the words "on" and "off".
using Value = std::variant<std::int64_t, std::string>;

std::string to_text(const Value& value);

enum class Comparison { any, one_of, at_most, at_least, below, above, differs, range };

struct Expectation {
  Comparison comparison = Comparison::any;
  std::vector<Value> values;  // one_of: alternatives in order; range: first and last; else one
  std::string text;           // as the profile says it, canonical

  // Error.what says what is wrong with the text.
  static Result<Expectation> parse(std::string_view text);
};

bool meets(const Value& value, const Expectation& wanted);

}  // namespace lk
