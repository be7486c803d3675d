#include "base/text.hpp"

#include <doctest/doctest.h>

using namespace std::string_view_literals;

TEST_CASE("text: trims blanks and NULs only at the ends") {
  CHECK(lk::trim(" a b \n\0\0"sv) == "a b");
  CHECK(lk::trim("\0\0"sv).empty());
}

TEST_CASE("text: a number is the whole text or an error") {
  CHECK(*lk::parse_int("42\n") == 42);
  CHECK(*lk::parse_int("-1\n") == -1);
  for (const auto* bad : {"", "4 2", "0x10", "1.5", "42abc", "99999999999999999999", "\n"}) {
    CHECK_FALSE(lk::parse_int(bad).ok());
  }
  CHECK(lk::parse_int("\x01"
                      "abc")
            .error()
            .what == "not a number: \".abc\"");
  CHECK(*lk::parse_hex("0x1f") == 31);
  CHECK_FALSE(lk::parse_hex("g").ok());
}

TEST_CASE("text: selectors") {
  const auto one = lk::parse_selector("[none] mq-deadline kyber\n");
  CHECK(one.chosen == "none");
  CHECK(one.offered == std::vector<std::string>{"none", "mq-deadline", "kyber"});
  CHECK_FALSE(lk::parse_selector("none\n").chosen.has_value());
  CHECK_FALSE(lk::parse_selector("").chosen.has_value());
}

TEST_CASE("text: link speeds") {
  CHECK(*lk::parse_link_speed("16.0 GT/s PCIe\n") == doctest::Approx(16.0));
  CHECK(*lk::parse_link_speed("2.5 GT/s") == doctest::Approx(2.5));
  for (const auto* bad : {"Unknown", "", "fast GT/s", "8.0", "8 Gb/s", "-1 GT/s"}) {
    CHECK_FALSE(lk::parse_link_speed(bad).ok());
  }
}

TEST_CASE("text: the nearest name, or none if none is near") {
  const std::vector<std::string> known{"cpu.governor", "cpu.epp", "blk.scheduler"};
  CHECK(lk::nearest("cpu.goverment", known) == "cpu.governor");
  CHECK(lk::nearest("cpu.govenor", known) == "cpu.governor");
  CHECK(lk::nearest("zzz", known).empty());
}

TEST_CASE("text: globs") {
  CHECK(lk::glob_match("*P4510*", "INTEL SSDPE P4510 1TB"));
  CHECK(lk::glob_match("nvme?", "nvme0"));
  CHECK(lk::glob_match("*", ""));
  CHECK_FALSE(lk::glob_match("nvme?", "nvme10"));
  CHECK_FALSE(lk::glob_match("", "a"));
}

TEST_CASE("text: visible keeps what people read and nothing that moves a cursor or forges a line") {
  CHECK(lk::visible("nvme0 \u00e9 \u6f22 \U0001F600") == "nvme0 \u00e9 \u6f22 \U0001F600");
  CHECK(lk::visible("a\x1b[31mb\nc\td\x7f"sv) == "a?[31mb?c?d?");
  CHECK(lk::visible("\xc2\x9b\xc2\xa0") == "?\u00a0");  // CSI; a blank that does not break
  CHECK(lk::visible("\u202e\u2066\u2028\u200f\u061c") == "?????");
  CHECK(lk::visible("\u2027\u202f\u2065\u206a\u200d") == "\u2027\u202f\u2065\u206a\u200d");
  CHECK(lk::visible("\xff\x9b\xe2\x80") == "????");       // not UTF-8: one for each byte
  CHECK(lk::visible("\xc0\x80\xed\xa0\x80") == "?????");  // overlong, a surrogate
  CHECK(lk::visible("\0"sv) == "?");
}
