#include "api/route.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "api/openapi.hpp"
#include "api/problem.hpp"

using namespace lk;

namespace {

void check_golden(const std::string& name, const std::string& text) {
  const auto path = std::string(LK_OPENAPI_DIR) + "/" + name;
  if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
  std::ostringstream kept;
  kept << std::ifstream(path).rdbuf();
  const bool same = kept.str() == text;
  INFO("openapi/", name, " differs from the code; UPDATE_GOLDEN=1 rewrites it");
  CHECK(same);
}

}  // namespace

TEST_CASE("the published contract is what the code says") {
  check_golden("openapi.json", openapi_json());
  check_golden("openapi.yaml", openapi_yaml());
}

TEST_CASE("routes are complete, and none hides another") {
  std::set<std::string_view> operations;
  std::set<std::pair<Method, std::string_view>> seen;
  std::map<std::string, std::string, std::less<>> arguments;
  for (const auto& each : routes()) {
    CAPTURE(each.pattern);
    CHECK(operations.insert(each.operation_id).second);
    CHECK(seen.insert({each.method, each.pattern}).second);
    CHECK_FALSE(each.summary.empty());
    for (const auto& parameter : each.parameters) {
      const auto braces = "{" + std::string(parameter.name) + "}";
      CHECK(parameter.in_path == (each.pattern.find(braces) != std::string_view::npos));
    }
    for (const auto& earlier : routes()) {
      if (&earlier == &each) break;
      if (earlier.pattern != each.pattern)
        CHECK_FALSE(match_pattern(earlier.pattern, each.pattern, arguments));
    }
  }
}

TEST_CASE("problem codes are sorted and have a status that is an error") {
  std::string_view last;
  for (const auto& each : problem_kinds()) {
    CAPTURE(each.code);
    CHECK(last < each.code);
    last = each.code;
    CHECK(each.status >= 400);
    CHECK(status_text(each.status) != "Unknown");
  }
}

TEST_CASE("operators: root, the daemon's own user and the group, over the Unix socket alone") {
  const auto peer = [](std::optional<std::uint32_t> user, std::uint32_t group,
                       std::vector<std::uint32_t> groups = {}) {
    Peer out;
    out.local = true;
    out.uid = user;
    out.gid = group;
    out.groups = std::move(groups);
    return out;
  };
  const Operators here{1000, 50};
  CHECK(granted_to(peer(0, 0), here) == Access::operator_);
  CHECK(granted_to(peer(1000, 1000), here) == Access::operator_);
  CHECK(granted_to(peer(1001, 50), here) == Access::operator_);
  CHECK(granted_to(peer(1001, 1001, {4, 50}), here) == Access::operator_);
  CHECK(granted_to(peer(1001, 1001, {4, 51}), here) == Access::reader);
  CHECK(granted_to(peer(1001, 1000, {1000, 0}), here) == Access::reader);
  CHECK(granted_to(peer(std::nullopt, 50), here) == Access::reader);
  CHECK(granted_to(peer(1001, 50, {50}), Operators{1000, std::nullopt}) == Access::reader);
  auto remote = peer(0, 0);
  remote.local = false;
  CHECK(granted_to(remote, here) == Access::reader);
}
