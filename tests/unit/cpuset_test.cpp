#include "base/cpuset.hpp"

#include <doctest/doctest.h>

using lk::CpuSet;

namespace {

std::string list(std::string_view text) {
  const auto set = CpuSet::parse_list(text);
  return set ? set->to_list() : "error: " + set.error().what;
}

std::string mask(std::string_view text) {
  const auto set = CpuSet::parse_mask(text);
  return set ? set->to_list() : "error: " + set.error().what;
}

}  // namespace

TEST_CASE("cpuset: lists come back canonical") {
  CHECK(list("0-3,8\n") == "0-3,8");
  CHECK(list("8,0,1,2,3") == "0-3,8");
  CHECK(list("0, 1, 2\n") == "0-2");  // mq/N/cpu_list
  CHECK(list("\n") == "");
  CHECK(list(std::string_view("0-1\n\0\0\0", 7)) == "0-1");
  CHECK(list("0-65535") == "0-65535");
}

TEST_CASE("cpuset: broken lists are refused") {
  CHECK(list("0-").starts_with("error"));
  CHECK(list("3-1").starts_with("error"));
  CHECK(list("0,,1").starts_with("error"));
  CHECK(list("-1").starts_with("error"));
  CHECK(list("0-4294967295").starts_with("error"));
  CHECK(list("all").starts_with("error"));
}

TEST_CASE("cpuset: masks with short, padded and empty groups") {
  CHECK(mask("ff") == "0-7");
  CHECK(mask("00000000,0000000f\n") == "0-3");
  CHECK(mask("1,00000000,00000001") == "0,64");
  CHECK(mask("ff,,1") == "0,64-71");
  CHECK(mask("0x3") == "0-1");
  CHECK(mask("ffffffffffffffff") == "0-63");
  CHECK(mask("0") == "");
  CHECK(mask("").starts_with("error"));
  CHECK(mask("xyz").starts_with("error"));
}

TEST_CASE("cpuset: set algebra keeps equal sets equal") {
  CpuSet a{0, 1, 200};
  CpuSet b{1, 200};
  CHECK(a - b == CpuSet{0});
  CHECK((a & b) == b);
  CHECK((CpuSet{0} | b) == a);
  CHECK(b.is_subset_of(a));
  CHECK_FALSE(a.is_subset_of(b));
  CHECK(a.intersects(b));
  CHECK(a.count() == 3);
  CHECK(b.first() == 1);
  a.remove(200);
  CHECK(a == CpuSet{0, 1});
}
