#include "probes/pci_path.hpp"

#include <doctest/doctest.h>

#include "tests/unit/tree.hpp"

using namespace lk;

namespace {

PathElement element(PortKind kind, std::optional<double> speed, std::optional<std::int64_t> width,
                    std::optional<double> max_speed, std::optional<std::int64_t> max_width) {
  PathElement out;
  out.kind = kind;
  out.link = {speed, width, max_speed, max_width};
  return out;
}

constexpr auto kRoot = PortKind::root_port;
constexpr auto kEnd = PortKind::endpoint;

void add_function(test::Tree& tree, const std::string& path, const std::string& pci_class,
                  const std::string& speed) {
  tree.file(path + "/class", pci_class + "\n");
  tree.file(path + "/current_link_speed", speed + "\n");
  tree.file(path + "/max_link_speed", "16.0 GT/s PCIe\n");
  tree.file(path + "/current_link_width", "4\n");
  tree.file(path + "/max_link_width", "4\n");
  tree.file(path + "/power/control", "on\n");
}

}  // namespace

TEST_CASE("pci: addresses, VMD's five-digit domains among them") {
  CHECK(is_pci_address("0000:3b:00.0"));
  CHECK(is_pci_address("10000:01:00.0"));
  CHECK_FALSE(is_pci_address("pci0000:3b"));
  CHECK_FALSE(is_pci_address("0000:3b:00"));
  CHECK_FALSE(is_pci_address("0000:3g:00.0"));
  CHECK_FALSE(is_pci_address("0:0:0:0"));
  CHECK(pci_address_less("ffff:00:00.0", "10000:01:00.0"));
  CHECK(pci_address_less("0000:3b:00.0", "0000:b1:00.0"));
}

TEST_CASE("pci: functions of a device path") {
  const auto functions = pci_functions(
      "sys/devices/pci0000:97/0000:97:00.5/pci10000:00/10000:00:02.0/10000:01:00.0/nvme/nvme0");
  REQUIRE(functions.size() == 3);
  CHECK(functions[0] == "sys/devices/pci0000:97/0000:97:00.5");
  CHECK(base_name(functions[2]) == "10000:01:00.0");
  CHECK(pci_functions("sys/devices/virtual/nvme-fabrics/ctl/nvme2").empty());
}

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
    return std::vector{
        element(kRoot, uplink, 16, 16, 16), element(PortKind::switch_upstream, uplink, 16, 16, 16),
        element(PortKind::switch_downstream, 16, 4, 16, 16), element(kEnd, 16, 4, 16, 4)};
  };
  CHECK(judge_link(path(16)).degraded == false);
  CHECK(judge_link(path(8)).degraded == true);
  CHECK(judge_link(path(8)).achievable_speed_gts == 16);  // of the drive's own link
  CHECK_FALSE(judge_link(path(std::nullopt)).degraded);
}

TEST_CASE("path: kinds, links and ASPM are read element by element") {
  test::Tree tree;
  const std::string port = "sys/devices/pci0000:3a/0000:3a:01.0";
  const std::string drive = port + "/0000:3b:00.0";
  add_function(tree, port, "0x060400", "8.0 GT/s PCIe");
  add_function(tree, drive, "0x010802", "Unknown");
  tree.file(drive + "/link/l1_aspm", "1\n");
  Inventory inventory;
  inventory.pci.aspm.os_control = true;
  const CollectOptions options;
  const Root root = tree.root();
  ProbeContext context(root, inventory, options);
  const auto path = read_pci_path(context, {port, drive}, "x", false);
  REQUIRE(path.size() == 2);
  CHECK(path[0].kind == PortKind::root_port);
  CHECK(path[0].link.speed_gts == 8);
  CHECK_FALSE(path[0].aspm.l1);
  CHECK(path[1].kind == PortKind::endpoint);
  CHECK_FALSE(path[1].link.speed_gts);
  CHECK(path[1].aspm.l1 == true);
  CHECK(path[1].aspm.l0s == false);  // the kernel controls ASPM, and an end does not offer L0s
  CHECK(path[1].aspm.source == AspmSource::link_attributes);
}

TEST_CASE("path: without control of ASPM a missing attribute says nothing") {
  test::Tree tree;
  const std::string drive = "sys/devices/pci0000:3a/0000:3a:01.0/0000:3b:00.0";
  add_function(tree, drive, "0x010802", "16.0 GT/s PCIe");
  tree.dir(drive + "/link");
  Inventory inventory;
  const CollectOptions options;
  const Root root = tree.root();
  ProbeContext context(root, inventory, options);
  const auto path = read_pci_path(context, {drive}, "x", false);
  CHECK_FALSE(path[0].aspm.l0s);
  CHECK_FALSE(path[0].aspm.l1);
  CHECK(path[0].aspm.source == AspmSource::unknown);
  CHECK_FALSE(context.take_problems().empty());
}

TEST_CASE("path: registers of a function that vfio has are not read") {
  test::Tree tree;
  const std::string drive = "sys/devices/pci0000:3a/0000:3a:01.0/0000:3b:00.0";
  add_function(tree, drive, "0x010802", "16.0 GT/s PCIe");
  Inventory inventory;
  const CollectOptions options;
  const Root root = tree.root();
  ProbeContext context(root, inventory, options);
  const auto path = read_pci_path(context, {drive}, "x", true);
  CHECK_FALSE(path[0].link.speed_gts);
  CHECK_FALSE(path[0].link.max_width);
}

TEST_CASE("path: zero lanes and rubbish are no widths") {
  test::Tree tree;
  const std::string drive = "sys/devices/pci0000:3a/0000:3b:00.0";
  add_function(tree, drive, "0x010802", "rubbish");
  tree.file(drive + "/current_link_width", "0\n");
  tree.file(drive + "/max_link_width", "63\n");
  Inventory inventory;
  const CollectOptions options;
  const Root root = tree.root();
  ProbeContext context(root, inventory, options);
  const auto path = read_pci_path(context, {drive}, "x", false);
  CHECK_FALSE(path[0].link.width);
  CHECK_FALSE(path[0].link.max_width);
  CHECK_FALSE(path[0].link.speed_gts);
  bool malformed = false;
  for (const auto& each : context.take_problems()) {
    malformed |= each.field == "x.path[].link.speed_gts" && each.cause == Cause::malformed;
  }
  CHECK(malformed);
}
