#include "tuners/value.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace lk;

namespace {

Value value_of(const std::string& text) {
  if (!text.empty() && text.find_first_not_of("-0123456789") == std::string::npos) {
    return Value{std::int64_t{std::stoll(text)}};
  }
  return Value{text};
}

struct Case {
  const char* value;
  const char* wanted;
  Met met;
};

}  // namespace

TEST_CASE("expectation: what meets what") {
  constexpr std::array kCases{
      Case{"none", "none", Met::yes},
      Case{"kyber", "none", Met::no},
      Case{"kyber", "none|mq-deadline|kyber", Met::yes},
      Case{"bfq", "none | mq-deadline | kyber", Met::no},
      Case{"0", "0", Met::yes},
      Case{"00", "0", Met::yes},
      Case{"1", "0", Met::no},
      Case{"performance", "performance|0", Met::yes},
      Case{"0", "performance|0", Met::yes},
      Case{"128", "performance|0", Met::no},
      Case{"2", "[0, 2]", Met::yes},
      Case{"1", "[0, 2]", Met::no},
      Case{"10", "<= 10", Met::yes},
      Case{"11", "<=10", Met::no},
      Case{"10", "< 10", Met::no},
      Case{"9", "< 10", Met::yes},
      Case{"1048576", ">= 1048576", Met::yes},
      Case{"65536", ">= 1048576", Met::no},
      Case{"1", "> 0", Met::yes},
      Case{"0", "> 0", Met::no},
      Case{"-1", "< 0", Met::yes},
      Case{"0", "!= 0", Met::no},
      Case{"1", "!= 0", Met::yes},
      Case{"tsc", "!= hpet|acpi_pm|jiffies", Met::yes},
      Case{"acpi_pm", "!= hpet|acpi_pm|jiffies", Met::no},
      Case{"1", "1..8", Met::yes},
      Case{"8", "1..8", Met::yes},
      Case{"9", "1..8", Met::no},
      Case{"-1", "-2..0", Met::yes},
      Case{"anything", "any", Met::yes},
      // A word is never within a numeric bound: "auto" is not at most 10.
      Case{"auto", "<= 10", Met::no},
      Case{"auto", "1..8", Met::no},
      // References are looked up for the target.
      Case{"2", "<= c1", Met::yes},
      Case{"133", "<= c1", Met::no},
      Case{"2", "<= tags", Met::no_reference},
  };
  for (const auto& each : kCases) {
    CAPTURE(each.value);
    CAPTURE(each.wanted);
    const auto wanted = Expectation::parse(each.wanted);
    REQUIRE(wanted.ok());
    CHECK(meets(value_of(each.value), *wanted, {{"c1", 2}}) == each.met);
  }
}

TEST_CASE("expectation: the text comes back canonical") {
  const auto text = [](const char* raw) { return (*Expectation::parse(raw)).text; };
  CHECK(text(" none ") == "none");
  CHECK(text("<=10") == "<= 10");
  CHECK(text("[0,2]") == "0|2");
  CHECK(text("none | kyber") == "none|kyber");
  CHECK(text("!=hpet|jiffies") == "!= hpet|jiffies");
  CHECK(text("1 .. 8") == "1..8");
}

TEST_CASE("expectation: what is refused") {
  for (const char* wrong :
       {"",    "  ",   "none|", "|none", "a||b",    "none|none", "<=",
        "<= ", "8..1", "1..",   "a..b",  "[]",      "[0,]",      "two words",
        "!=",  "true", "yes",   "a,b",   "<= true", "$x",        "99999999999999999999..1"}) {
    CAPTURE(wrong);
    const auto parsed = Expectation::parse(wrong);
    CHECK_FALSE(parsed.ok());
    if (!parsed) CHECK_FALSE(parsed.error().what.empty());
  }
}
