// Slots of drives, and temperatures: which sources count, and what is never asked.
#include "probes/nvme_slots.hpp"

#include <doctest/doctest.h>

#include "tests/unit/tree.hpp"

using namespace lk;

namespace {

// A type 9 structure: usage 4 is "in use", 3 "available".
std::string slot(const std::string& name, int bus, int device, int usage = 4) {
  std::string area{9, 17, 0, 9, 1, 5, 10};
  area += static_cast<char>(usage);
  area += std::string(5, '\0');
  area += std::string{0, 0, static_cast<char>(bus), static_cast<char>(device << 3)};
  return area + name + std::string(2, '\0');
}

const std::string kSystem = std::string{1, 4, 0, 1} + "SERIAL123" + std::string(2, '\0');
const std::string kEnd = std::string{127, 4, 0, 2, 0, 0};

void add_function(test::Tree& tree, const std::string& address) {
  tree.file("sys/bus/pci/devices/" + address + "/class", "0x010802\n");
}

const Problem* slot_problem(const Inventory& inventory) {
  for (const auto& probe : inventory.probes) {
    for (const auto& each : probe.problems) {
      if (each.field == "nvme.controllers[].slot") return &each;
    }
  }
  return nullptr;
}

}  // namespace

TEST_CASE("smbios slots: address and designation; empty, shared and unaddressed ones left out") {
  const auto table = kSystem + slot("Slot 1", 0x3b, 0) + slot("Slot 2", 0x3c, 2) +
                     slot("Slot 3", 0x3d, 0, 3) + slot("Slot 4", 0xff, 0) +
                     slot("Slot 5", 0x40, 0) + slot("Slot 6", 0x40, 0) + kEnd +
                     slot("Slot 7", 0x41, 0);
  const auto slots = smbios_slots(table);
  REQUIRE(slots.size() == 2);
  CHECK(slots.at("0000:3b:00") == "Slot 1");
  CHECK(slots.at("0000:3c:02") == "Slot 2");
}

TEST_CASE("smbios slots: broken tables give what stands before the break") {
  const auto good = slot("Slot 1", 0x3b, 0);
  CHECK(smbios_slots(good + std::string{9, 17}).size() == 1);
  CHECK(smbios_slots(good + std::string{9, 1, 0, 0, 0, 0}).size() == 1);
  CHECK(smbios_slots(slot("Slot 2", 0x3c, 0).substr(0, 20)).empty());
  CHECK(smbios_slots("").empty());
}

TEST_CASE("smbios slots: a capture's table holds slots and no serial number") {
  const auto kept = smbios_slots_only(kSystem + slot("Slot 1", 0x3b, 0) + kEnd);
  CHECK(kept.find("SERIAL") == std::string::npos);
  CHECK(smbios_slots(kept).at("0000:3b:00") == "Slot 1");
}

TEST_CASE("slot: the hot-plug slot wins over the firmware's table, that over the label") {
  test::Tree tree;
  for (const char* address : {"0000:3b:00.0", "0000:3c:00.0", "0000:3d:00.0", "0000:3e:00.0"}) {
    add_function(tree, address);
  }
  tree.file("sys/bus/pci/slots/12/address", "0000:3b:00\n");
  tree.file(kSmbiosTables, slot("Slot 1", 0x3b, 0) + slot("Slot 2", 0x3c, 0) + kEnd);
  tree.file("sys/bus/pci/devices/0000:3c:00.0/label", "ignored\n");
  tree.file("sys/bus/pci/devices/0000:3d:00.0/label", "PCIe SSD in Slot 20 Bay 1\n");
  const auto inventory = collect(tree.root());
  const auto& drives = inventory.nvme.controllers;
  REQUIRE(drives.size() == 4);
  CHECK(drives[0].slot == "12");
  CHECK(drives[1].slot == "Slot 2");
  CHECK(drives[2].slot == "PCIe SSD in Slot 20 Bay 1");
  CHECK_FALSE(drives[3].slot);
  REQUIRE(slot_problem(inventory));
  CHECK(slot_problem(inventory)->cause == Cause::absent);
  CHECK(slot_problem(inventory)->count == 1);
}

TEST_CASE("temperature: from a capture that holds it; one that does not says why") {
  for (const char* base : {"sys/class/nvme/nvme0/hwmon3", "sys/class/nvme/nvme0/hwmon/hwmon3",
                           "sys/class/nvme/nvme0/device/hwmon/hwmon3"}) {
    test::Tree tree{{"sys/class/nvme/nvme0/transport", "pcie\n"},
                    {std::string(base) + "/temp1_input", "38850\n"}};
    const auto inventory = collect(tree.root());
    REQUIRE(inventory.nvme.controllers.size() == 1);
    CHECK(inventory.nvme.controllers[0].temperature_c == 38.85);
  }
  test::Tree without{{"sys/class/nvme/nvme0/transport", "pcie\n"},
                     {"sys/class/nvme/nvme0/hwmon3/name", "nvme\n"}};
  const auto inventory = collect(without.root());
  CHECK_FALSE(inventory.nvme.controllers.at(0).temperature_c);
  bool told = false;
  for (const auto& probe : inventory.probes) {
    for (const auto& each : probe.problems) {
      told |= each.field == "nvme.controllers[].temperature_c" && each.cause == Cause::not_asked;
    }
  }
  CHECK(told);
}
