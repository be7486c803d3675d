#include "probes/pci_config.hpp"

#include <doctest/doctest.h>

#include "tests/unit/config_bytes.hpp"
#include "tests/unit/tree.hpp"

using namespace lk;

namespace {

ConfigSpace parse(const std::string& bytes, bool live = true) {
  return parse_config_space(bytes, live, "sys/x/config");
}

}  // namespace

TEST_CASE("config space: the capability's values") {
  const auto found = parse(test::config_space({.aspm = 1, .target = 3, .payload = 1}));
  REQUIRE(found.express);
  CHECK(found.express->has_link);
  CHECK(found.express->aspm_control == 1);
  CHECK(found.express->target_speed_gts == 8);
  CHECK(found.express->max_payload_supported == 512);
  CHECK(found.express->max_payload == 256);
  CHECK(found.express->max_read_request == 512);
  CHECK(found.express->max_speed_gts == 16);
  CHECK(found.express->max_width == 4);
  CHECK(found.express->speed_gts == 8);
  CHECK(found.express->width == 4);
}

TEST_CASE("config space: what stands in the root complex has no link") {
  const auto found = parse(test::config_space({.aspm = 3, .kind = 9}));
  REQUIRE(found.express);
  CHECK_FALSE(found.express->has_link);
  CHECK_FALSE(found.express->target_speed_gts);
  CHECK(found.express->max_payload == 128);
}

TEST_CASE("config space: 64 bytes are a lack of rights on a live host only") {
  const auto bytes = test::config_space({.size = 64});
  CHECK_FALSE(parse(bytes).express);
  CHECK(parse(bytes).cause == Cause::denied);
  CHECK(parse(bytes, false).cause == Cause::absent);
  // The end of the capability is missing.
  CHECK(parse(test::config_space({.size = 0x80})).cause == Cause::denied);
}

TEST_CASE("config space: rubbish has no values") {
  CHECK(parse(std::string(256, '\xff')).cause == Cause::unreadable);
  CHECK(parse("").cause == Cause::absent);
  CHECK(parse(std::string(20, 'x')).cause == Cause::malformed);
  CHECK(parse(std::string(256, '\0')).cause == Cause::absent);
  auto circle = test::config_space({});
  circle[0x41] = 0x40;
  CHECK(parse(circle).cause == Cause::malformed);
  auto no_target = test::config_space({.target = 0});
  CHECK_FALSE(parse(no_target).express->target_speed_gts);
  no_target[0x7C] = 0x41;  // 2.5 GT/s is all it can do, and the register may be fixed at 0
  CHECK(parse(no_target).express->target_speed_gts == 2.5);
  for (std::size_t size = 0; size < 256; ++size) parse(test::config_space({.size = size}));
}

TEST_CASE("config space: a virtual function's header of ones is no dead function") {
  auto bytes = test::config_space({});
  for (std::size_t i = 0; i < 4; ++i) bytes[i] = '\xff';
  CHECK(parse(bytes).express);
}

TEST_CASE("config space: who sleeps") {
  test::Tree tree{{"sys/a/power/runtime_status", "active\n"},
                  {"sys/b/power/runtime_status", "suspended\n"},
                  {"sys/c/power_state", "D3cold\n"},
                  {"sys/d/power_state", "D0\n"}};
  const Root root = tree.root();
  CHECK(asleep(root, "sys/a").empty());
  CHECK_FALSE(asleep(root, "sys/b").empty());
  CHECK_FALSE(asleep(root, "sys/c").empty());
  CHECK(asleep(root, "sys/d").empty());
  CHECK(asleep(root, "sys/none").empty());
}
