#include "probes/find_drive.hpp"

#include <doctest/doctest.h>

using namespace lk;

namespace {

NvmeController controller(const char* name, const char* address, const char* serial,
                          const char* slot) {
  NvmeController out;
  out.id = address;
  out.name = name;
  out.pci_address = address;
  out.serial = serial;
  out.slot = slot;
  return out;
}

// Two ports of one shared drive, whose serial they share, and a third drive.
Inventory host() {
  Inventory inventory;
  inventory.nvme.controllers = {controller("nvme0", "0000:3b:00.0", "S1", "12"),
                                controller("nvme3", "0000:b1:00.0", "S1", "13"),
                                controller("nvme1", "10000:01:00.0", "12", "14")};
  NvmeNamespace shared;
  shared.name = "nvme7n1";
  shared.wwid = "eui.01";
  shared.paths = {{"nvme7c0n1", "nvme0", {}}, {"nvme7c3n1", "nvme3", {}}};
  inventory.nvme.namespaces = {shared};
  BlockDevice disk;
  disk.name = "sda";
  disk.serial = "Z1";
  disk.wwid = "naa.5";
  inventory.block = {disk};
  return inventory;
}

std::string names(const std::vector<const NvmeController*>& found) {
  std::string out;
  for (const auto* each : found) out += each->name.value_or(each->id) + " ";
  return out;
}

}  // namespace

TEST_CASE("find_drive: by every name, and only exact ones") {
  const auto inventory = host();
  CHECK(names(find_drive(inventory, "nvme0")) == "nvme0 ");
  CHECK(names(find_drive(inventory, "/dev/nvme0")) == "nvme0 ");
  CHECK(names(find_drive(inventory, "0000:B1:00.0")) == "nvme3 ");
  CHECK(names(find_drive(inventory, "b1:00.0")) == "nvme3 ");
  CHECK(names(find_drive(inventory, "10000:01:00.0")) == "nvme1 ");
  CHECK(names(find_drive(inventory, "13")) == "nvme3 ");
  CHECK(names(find_drive(inventory, "nvme7c3n1")) == "nvme3 ");
  CHECK(find_drive(inventory, "nvme").empty());
  CHECK(find_drive(inventory, "").empty());
  CHECK(find_drive(inventory, "nvme9").empty());
}

TEST_CASE("find_drive: what fits several says so") {
  const auto inventory = host();
  CHECK(names(find_drive(inventory, "S1")) == "nvme0 nvme3 ");
  CHECK(names(find_drive(inventory, "eui.01")) == "nvme0 nvme3 ");
  CHECK(names(find_drive(inventory, "/dev/nvme7n1")) == "nvme0 nvme3 ");
  CHECK(names(find_drive(inventory, "12")) == "nvme0 nvme1 ");  // a slot here, a serial there
}

TEST_CASE("find_drive: disks without a controller, and wwids") {
  const auto inventory = host();
  CHECK(find_disk(inventory, "/dev/sda").size() == 1);
  CHECK(find_disk(inventory, "naa.5").size() == 1);
  CHECK(find_disk(inventory, "sdb").empty());
  CHECK(drive_wwid(inventory, inventory.nvme.controllers[0]) == "eui.01");
  CHECK_FALSE(drive_wwid(inventory, inventory.nvme.controllers[2]));
}
