#include "probes/pci_path.hpp"

#include <doctest/doctest.h>

#include "tests/unit/config_bytes.hpp"
#include "tests/unit/tree.hpp"

using namespace lk;

namespace {

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
  CHECK_FALSE(path[0].max_payload_bytes);
}

namespace {

// A root port and a drive whose registers say what is wanted.
struct Pair {
  std::string port = "sys/devices/pci0000:3a/0000:3a:01.0";
  std::string drive = port + "/0000:3b:00.0";
  test::Tree tree;
  Inventory inventory;

  Pair(const test::Express& upper, const test::Express& lower) {
    add_function(tree, port, "0x060400", "8.0 GT/s PCIe");
    add_function(tree, drive, "0x010802", "8.0 GT/s PCIe");
    tree.file(port + "/config", test::config_space(upper));
    tree.file(drive + "/config", test::config_space(lower));
  }
  std::vector<PathElement> read() {
    const CollectOptions options;
    const Root root = tree.root();
    ProbeContext context(root, inventory, options);
    return read_pci_path(context, {port, drive}, "x", false);
  }
};

}  // namespace

TEST_CASE("path: L1 is on if both ends enable it, L0s if one does, whatever the kernel shows") {
  Pair both({.aspm = 2}, {.aspm = 3});
  both.tree.file(both.drive + "/link/l1_aspm", "0\n");
  auto path = both.read();
  CHECK(path[1].aspm.l1 == true);
  CHECK(path[1].aspm.l0s == true);
  CHECK(path[1].aspm.source == AspmSource::config_space);
  CHECK(path[0].aspm_control == 2);
  Pair one({.aspm = 0}, {.aspm = 2});
  path = one.read();
  CHECK(path[1].aspm.l1 == false);
  CHECK(path[1].aspm.l0s == false);
}

TEST_CASE("path: 64 bytes of configuration space leave the kernel's view of ASPM") {
  Pair user({.size = 64}, {.aspm = 3, .size = 64});
  user.tree.file(user.drive + "/link/l1_aspm", "1\n");
  const auto path = user.read();
  CHECK(path[1].aspm.l1 == true);
  CHECK_FALSE(path[1].aspm.l0s);
  CHECK(path[1].aspm.source == AspmSource::link_attributes);
  CHECK_FALSE(path[1].capped_by_firmware);
  CHECK_FALSE(path[1].max_read_request_bytes);
}

TEST_CASE("path: a link at the target speed of its port was capped on purpose") {
  Pair capped({.target = 3, .payload = 1, .read_request = 5}, {.target = 4, .payload = 2});
  auto path = capped.read();
  CHECK(path[1].capped_by_firmware == true);
  CHECK_FALSE(path[0].capped_by_firmware);
  CHECK(path[0].link.target_speed_gts == 8);
  CHECK(path[0].max_payload_bytes == 256);
  CHECK(path[0].max_read_request_bytes == 4096);
  CHECK(path[1].max_payload_bytes == 512);
  CHECK(path[1].max_payload_supported_bytes == 512);
  // The drive's own register does not decide, and a link below the target has another fault.
  Pair own({.target = 4}, {.target = 3});
  CHECK(own.read()[1].capped_by_firmware == false);
  Pair below({.target = 3}, {.target = 4});
  below.tree.file(below.port + "/current_link_speed", "5.0 GT/s PCIe\n");
  below.tree.file(below.drive + "/current_link_speed", "5.0 GT/s PCIe\n");
  CHECK(below.read()[1].capped_by_firmware == false);
}

TEST_CASE("path: a port that sleeps is not woken, nor is anything below it") {
  Pair pair({.aspm = 2}, {.aspm = 2});
  pair.tree.file(pair.port + "/power/runtime_status", "suspended\n");
  const auto path = pair.read();
  for (const auto& each : path) {
    CHECK_FALSE(each.link.speed_gts);
    CHECK_FALSE(each.aspm_control);
    CHECK_FALSE(each.max_payload_bytes);
  }
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
