#include "base/result.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

using lk::Error;
using lk::Result;

namespace {

template <class R>
concept LendsMembers = requires(R result) {
  static_cast<R>(result).operator->();
};

Result<std::vector<int>> three() {
  return std::vector{1, 2, 3};
}

}  // namespace

static_assert(LendsMembers<Result<int>&>);
static_assert(LendsMembers<const Result<int>&>);
static_assert(!LendsMembers<Result<int>&&>);
static_assert(!LendsMembers<const Result<int>&&>);
static_assert(!std::is_reference_v<decltype(*three())>);
static_assert(!std::is_reference_v<decltype(three().error())>);

TEST_CASE("result: a temporary gives its value away") {
  int sum = 0;
  for (const int each : *three()) sum += each;  // the loop has the vector, not its remains
  CHECK(sum == 6);
  Result<std::unique_ptr<int>> owner(std::make_unique<int>(7));
  const auto taken = *std::move(owner);
  CHECK(*taken == 7);
  const auto error = Result<int>(Error{"cannot read", "x", 2}).error();
  CHECK(error.message() == "cannot read x: No such file or directory (ENOENT)");
}
