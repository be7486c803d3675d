#include <doctest/doctest.h>

#include "probes/probe.hpp"
#include "tests/unit/tree.hpp"

using namespace lk;

namespace {

// A SCSI disk behind the function 0000:65:00.0 that `driver` has.
void add_scsi(test::Tree& tree, const std::string& name, const std::string& driver,
              const std::string& vendor, const std::string& rotational = "0") {
  const std::string function = "devices/pci0000:64/0000:65:00.0";
  const std::string device = function + "/host0/target0:0:1/0:0:1:0";
  tree.link("sys/" + function + "/driver", "../../../bus/pci/drivers/" + driver);
  tree.link("sys/" + device + "/driver", "../../../../../../bus/scsi/drivers/sd");
  tree.file("sys/" + device + "/vendor", vendor + "\n");
  tree.file("sys/" + device + "/model", "Model X\n");
  tree.file("sys/" + device + "/vpd_pg80", std::string("\0\x80\0\x04", 4) + "Z1  ");
  tree.file("sys/" + device + "/block/" + name + "/size", "16\n");
  tree.file("sys/" + device + "/block/" + name + "/queue/rotational", rotational + "\n");
  tree.link("sys/" + device + "/block/" + name + "/device", "../../../0:0:1:0");
  tree.link("sys/block/" + name, "../" + device + "/block/" + name);
}

BlockDevice only(const test::Tree& tree) {
  const auto inventory = collect(tree.root());
  REQUIRE(inventory.block.size() == 1);
  return inventory.block[0];
}

std::optional<bool> behind(const std::string& driver, const std::string& vendor,
                           const std::string& rotational = "0") {
  test::Tree tree;
  add_scsi(tree, "sda", driver, vendor, rotational);
  return only(tree).nvme_behind_hba;
}

}  // namespace

TEST_CASE("block: a SCSI disk's driver, function, serial and size") {
  test::Tree tree;
  add_scsi(tree, "sda", "mpi3mr", "NVMe");
  const auto disk = only(tree);
  CHECK(disk.driver == "mpi3mr");
  CHECK(disk.pci_address == "0000:65:00.0");
  CHECK(disk.serial == "Z1");
  CHECK(disk.size_bytes == 8192);
  REQUIRE(disk.queue);
  CHECK(disk.queue->rotational == 0);
  CHECK_FALSE(disk.queue->scheduler);
}

TEST_CASE("block: NVMe media behind an HBA are told, guessed never") {
  CHECK(behind("mpi3mr", "NVMe") == true);
  CHECK(behind("megaraid_sas", "NVMe") == true);
  CHECK(behind("mpt3sas", "ATA") == false);
  CHECK(behind("mpt3sas", "SEAGATE", "1") == false);
  CHECK_FALSE(behind("megaraid_sas", "DELL"));  // a volume of anything
  CHECK(behind("ahci", "ATA") == false);
}

TEST_CASE("block: stacked, empty and memory devices are no disks") {
  test::Tree tree;
  for (const char* name : {"dm-0", "md0", "zram0", "ram0", "sr0", "loop0"}) {
    tree.file(std::string("sys/block/") + name + "/size", "8\n");
  }
  tree.file("sys/block/loop1/size", "0\n");
  const auto disk = only(tree);
  CHECK(disk.name == "loop0");  // with something attached
  CHECK_FALSE(disk.driver);
  CHECK(disk.nvme_behind_hba == std::nullopt);
}
