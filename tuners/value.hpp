// Values of knobs, and what a profile may expect of them. docs/profiles.md is the reference.
//
//   none            the word, or the number, itself
//   none|kyber      any of these; the first one that the host offers is what a plan would choose
//   [0, 2]          a set, the same as 0|2
//   "<= 10"         also >= < >; in place of the number a name that the knob derives per target
//                   from the hardware: "<= c1", "<= tags"
//   "!= hpet|jiffies"  none of these
//   "1..8"          a range, both ends included
//   any             any value at all
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"

namespace lk {

// A number or a word. Booleans are the words "on" and "off".
using Value = std::variant<std::int64_t, std::string>;

// Numbers by name that a knob derives for one target: {"c1", 2}.
using References = std::map<std::string, std::int64_t>;

std::string to_text(const Value& value);

enum class Comparison { any, one_of, none_of, at_most, at_least, below, above, range };

struct Expectation {
  Comparison comparison = Comparison::any;
  std::vector<Value> values;  // one_of, none_of: in order; range: first and last; else one
  std::string text;           // canonical: "<= 10", "none|kyber"

  // Error.what says what is wrong with the text.
  static Result<Expectation> parse(std::string_view text);
};

// no_reference: the target has no number of that name, so there is nothing to compare with.
enum class Met { yes, no, no_reference };
Met meets(const Value& value, const Expectation& wanted, const References& references = {});

}  // namespace lk
