#include "probes/link_verdict.hpp"

#include <doctest/doctest.h>

using namespace lk;

namespace {

PathElement element(PortKind kind, std::optional<double> speed, std::optional<std::int64_t> width,
                    std::optional<double> max_speed, std::optional<std::int64_t> max_width,
                    const std::string& address = "") {
  PathElement out;
  out.kind = kind;
  out.address = address;
  out.link = {speed, width, max_speed, max_width, std::nullopt};
  return out;
}

constexpr auto kRoot = PortKind::root_port;
constexpr auto kEnd = PortKind::endpoint;
constexpr auto kUp = PortKind::switch_upstream;
constexpr auto kDown = PortKind::switch_downstream;

}  // namespace

TEST_CASE("link: degraded is below what both ends can do") {
  const auto slow = judge_link({element(kRoot, 8, 4, 32, 16), element(kEnd, 8, 4, 16, 4)});
  CHECK(slow.achievable_speed_gts == 16);
  CHECK(slow.achievable_width == 4);
  CHECK(slow.degraded == true);
  const auto narrow = judge_link({element(kRoot, 16, 2, 32, 16), element(kEnd, 16, 2, 16, 4)});
  CHECK(narrow.degraded == true);
  // The port can do no more: slower than the drive could, and as it should be.
  const auto limited = judge_link({element(kRoot, 8, 4, 8, 4), element(kEnd, 8, 4, 16, 4)});
  CHECK(limited.achievable_speed_gts == 8);
  CHECK(limited.degraded == false);
}

TEST_CASE("link: what is unknown stays unknown") {
  const auto hidden = judge_link(
      {element(kRoot, {}, {}, 32, 16), element(kEnd, std::nullopt, std::nullopt, 16, 4)});
  CHECK_FALSE(hidden.degraded);
  CHECK(hidden.achievable_speed_gts == 16);
  const auto port_unknown =
      judge_link({element(kRoot, 16, 4, std::nullopt, std::nullopt), element(kEnd, 8, 4, 16, 4)});
  CHECK_FALSE(port_unknown.achievable_speed_gts);
  CHECK_FALSE(port_unknown.degraded);
  // One of two is enough to say degraded, not enough to say the opposite.
  const auto half = judge_link({element(kRoot, 8, {}, 16, {}), element(kEnd, 8, {}, 16, {})});
  CHECK(half.degraded == true);
  const auto other_half =
      judge_link({element(kRoot, 16, {}, 16, {}), element(kEnd, 16, {}, 16, {})});
  CHECK_FALSE(other_half.degraded);
  CHECK_FALSE(judge_link({}).degraded);
}

TEST_CASE("link: without a port above, the drive's own end decides") {
  CHECK(judge_link({element(kEnd, 2.5, 1, 2.5, 1)}).degraded == false);
  CHECK(judge_link({element(kEnd, 2.5, 1, 5, 1)}).degraded == true);
  // VMD is no port: its root port is.
  const auto vmd = judge_link({element(PortKind::vmd, {}, {}, {}, {}), element(kRoot, 16, 4, 16, 4),
                               element(kEnd, 16, 4, 16, 4)});
  CHECK(vmd.degraded == false);
}

TEST_CASE("link: a switch's own link counts, its inside does not") {
  const auto path = [](std::optional<double> uplink) {
    return std::vector{element(kRoot, uplink, 16, 16, 16),
                       element(kUp, uplink, 16, 16, 16, "0000:41:00.0"),
                       element(kDown, 16, 4, 16, 16), element(kEnd, 16, 4, 16, 4)};
  };
  CHECK(judge_link(path(16)).degraded == false);
  CHECK(judge_link(path(8)).degraded == true);
  CHECK(judge_link(path(8)).achievable_speed_gts == 16);  // healthy, the drive's own is narrowest
  CHECK(judge_link(path(8)).achievable_width == 4);
  CHECK(judge_link(path(8)).degraded_at == std::vector<std::string>{"0000:41:00.0"});
  CHECK_FALSE(judge_link(path(std::nullopt)).degraded);
}

TEST_CASE("link: achievable is what the narrowest link of the path can do") {
  // A fast drive behind an uplink of less: speed and lanes of the uplink, not a mix of both.
  const std::vector path{element(kRoot, 8, 4, 16, 4), element(kUp, 8, 4, 8, 4),
                         element(kDown, 16, 8, 16, 8), element(kEnd, 16, 8, 16, 8)};
  const auto behind = judge_link(path);
  CHECK(behind.achievable_speed_gts == 8);
  CHECK(behind.achievable_width == 4);
  CHECK(behind.degraded == false);
  CHECK(behind.degraded_at.empty());
  // Slower lanes, but more of them: the drive's own link is the narrowest.
  const auto wide = judge_link({element(kRoot, 8, 16, 8, 16), element(kUp, 8, 16, 8, 16),
                                element(kDown, 16, 4, 16, 4), element(kEnd, 16, 4, 16, 4)});
  CHECK(wide.achievable_speed_gts == 16);
  CHECK(wide.achievable_width == 4);
  // A link that does not tell could be the narrowest.
  const auto open = judge_link({element(kRoot, {}, {}, {}, {}), element(kUp, {}, {}, {}, {}),
                                element(kDown, 16, 4, 16, 4), element(kEnd, 16, 4, 16, 4)});
  CHECK_FALSE(open.achievable_speed_gts);
  CHECK_FALSE(open.degraded);
}

TEST_CASE("link: capped only if a target speed is all that is missing") {
  std::vector path{element(kRoot, 8, 4, 16, 4), element(kEnd, 8, 4, 16, 4, "0000:3b:00.0")};
  CHECK_FALSE(judge_link(path).capped_by_firmware);  // the register was not read
  path[1].capped_by_firmware = true;
  CHECK(judge_link(path).capped_by_firmware == true);
  CHECK(judge_link(path).degraded == true);
  path[1].link.width = 2;
  CHECK(judge_link(path).capped_by_firmware == false);
  path[1].link = path[0].link = {16.0, 4, 16.0, 4, std::nullopt};
  CHECK(judge_link(path).capped_by_firmware == false);
}
