#include "probes/owners.hpp"

#include <doctest/doctest.h>

#include "tests/unit/tree.hpp"

using namespace lk;

namespace {

// A disk of two partitions: sys/class/block links as the kernel has them.
void add_disk(test::Tree& tree, const std::string& name, const std::string& number) {
  const std::string base = "sys/devices/pci0000:3a/" + name;
  tree.file(base + "/dev", number + "\n");
  tree.dir(base + "/holders");
  tree.link("sys/class/block/" + name, "../../devices/pci0000:3a/" + name);
}

void add_partition(test::Tree& tree, const std::string& disk, const std::string& name,
                   const std::string& number) {
  const std::string base = "sys/devices/pci0000:3a/" + disk + "/" + name;
  tree.file(base + "/dev", number + "\n");
  tree.file(base + "/partition", "1\n");
  tree.dir(base + "/holders");
  tree.link("sys/class/block/" + name, "../../devices/pci0000:3a/" + disk + "/" + name);
}

void add_virtual(test::Tree& tree, const std::string& name, const std::string& number) {
  const std::string base = "sys/devices/virtual/block/" + name;
  tree.file(base + "/dev", number + "\n");
  tree.dir(base + "/holders");
  tree.link("sys/class/block/" + name, "../../devices/virtual/block/" + name);
}

void hold(test::Tree& tree, const std::string& lower, const std::string& upper) {
  tree.link("sys/devices/pci0000:3a/" + lower + "/holders/" + upper,
            "../../../virtual/block/" + upper);
}

const char* const kSwaps = "Filename Type Size Used Priority\n";

std::string text(const DiskUse& use) {
  std::string out;
  for (const auto& owner : use.owners) {
    out += std::string(name_of(owner.kind)) + ":" + owner.name + " ";
  }
  return out;
}

}  // namespace

TEST_CASE("owners: a mount of the disk and of its partitions, by device number") {
  test::Tree tree{{"proc/swaps", kSwaps},
                  {"proc/self/mountinfo",
                   "30 1 259:1 / /srv/with\\040blank rw shared:1 - xfs /dev/root rw\n"
                   "31 1 259:9 / /elsewhere rw - xfs /dev/nvme9n1 rw\n"}};
  add_disk(tree, "nvme0n1", "259:0");
  add_partition(tree, "nvme0n1", "nvme0n1p1", "259:1");
  const OwnerMap owners(tree.root(), false);
  const auto use = owners.use_of("nvme0n1");
  CHECK(text(use) == "filesystem:/srv/with blank ");
  CHECK_FALSE(use.boot);
  CHECK(owners.in_use(use).verdict == InUseVerdict::in_use);
}

TEST_CASE("owners: through LVM on md, to the root file system") {
  test::Tree tree{{"proc/swaps", kSwaps},
                  {"proc/self/mountinfo", "30 1 254:0 / / rw - ext4 /dev/mapper/vg-root rw\n"}};
  add_disk(tree, "nvme0n1", "259:0");
  add_partition(tree, "nvme0n1", "nvme0n1p2", "259:2");
  add_virtual(tree, "md0", "9:0");
  tree.file("sys/devices/virtual/block/md0/md/level", "raid1\n");
  add_virtual(tree, "dm-0", "254:0");
  tree.file("sys/devices/virtual/block/dm-0/dm/name", "vg-root\n");
  tree.file("sys/devices/virtual/block/dm-0/dm/uuid", "LVM-abc\n");
  hold(tree, "nvme0n1/nvme0n1p2", "md0");
  tree.link("sys/devices/virtual/block/md0/holders/dm-0", "../../dm-0");
  const OwnerMap owners(tree.root(), false);
  const auto use = owners.use_of("nvme0n1");
  CHECK(text(use) == "md:md0 lvm:vg-root filesystem:/ ");
  CHECK(use.boot);
}

TEST_CASE("owners: holders in a ring end") {
  test::Tree tree{{"proc/swaps", kSwaps},
                  {"proc/self/mountinfo", "30 1 0:5 / / rw - tmpfs t rw\n"}};
  add_disk(tree, "nvme0n1", "259:0");
  add_virtual(tree, "dm-0", "254:0");
  hold(tree, "nvme0n1", "dm-0");
  tree.link("sys/devices/virtual/block/dm-0/holders/dm-0", "../../dm-0");
  CHECK(text(OwnerMap(tree.root(), false).use_of("nvme0n1")) == "dm:dm-0 ");
}

TEST_CASE("owners: swap on a partition, on device mapper and in a file") {
  test::Tree tree{
      {"proc/swaps", std::string(kSwaps) + "/dev/nvme0n1p3 partition 1 0 -2\n" +
                         "/dev/dm-1 partition 1 0 -2\n" + "/srv/swap.img file 1 0 -2\n"},
      {"proc/self/mountinfo",
       "29 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
       "30 1 259:8 / /srv rw - ext4 /dev/nvme2n1 rw\n"}};
  add_disk(tree, "nvme0n1", "259:0");
  add_partition(tree, "nvme0n1", "nvme0n1p3", "259:3");
  add_disk(tree, "nvme1n1", "259:4");
  add_virtual(tree, "dm-1", "254:1");
  hold(tree, "nvme1n1", "dm-1");
  add_disk(tree, "nvme2n1", "259:8");
  const OwnerMap owners(tree.root(), false);
  CHECK(text(owners.use_of("nvme0n1")) == "swap:/dev/nvme0n1p3 ");
  CHECK(text(owners.use_of("nvme1n1")) == "dm:dm-1 swap:/dev/dm-1 ");
  CHECK(text(owners.use_of("nvme2n1")) == "filesystem:/srv swap:/srv/swap.img ");
  CHECK(owners.use_of("nvme2n1").boot);
}

TEST_CASE("owners: every device of a btrfs, whose number is no disk's") {
  test::Tree tree{{"proc/swaps", kSwaps},
                  {"proc/self/mountinfo", "30 1 0:41 / /pool rw - btrfs /dev/nvme0n1 rw\n"}};
  add_disk(tree, "nvme0n1", "259:0");
  add_disk(tree, "nvme1n1", "259:1");
  add_disk(tree, "nvme2n1", "259:2");
  tree.dir("sys/fs/btrfs/11-22/devices/nvme0n1");
  tree.dir("sys/fs/btrfs/11-22/devices/nvme1n1");
  const OwnerMap owners(tree.root(), false);
  CHECK(text(owners.use_of("nvme0n1")) == "filesystem:/pool ");
  CHECK(text(owners.use_of("nvme1n1")) == "filesystem:/pool ");
  CHECK(owners.in_use(owners.use_of("nvme2n1")).verdict == InUseVerdict::free);
}

TEST_CASE("owners: free is said only where every source was read") {
  test::Tree nothing;
  add_disk(nothing, "nvme0n1", "259:0");
  const OwnerMap blind(nothing.root(), false);
  CHECK_FALSE(blind.complete());
  CHECK(blind.in_use(blind.use_of("nvme0n1")).verdict == InUseVerdict::unknown);
  CHECK(blind.in_use(blind.use_of("nvme0n1")).reasons.size() == 2);

  test::Tree zfs{{"proc/swaps", kSwaps},
                 {"proc/self/mountinfo", "30 1 0:41 / /tank rw - zfs tank rw\n"}};
  add_disk(zfs, "nvme0n1", "259:0");
  const OwnerMap pool(zfs.root(), false);
  CHECK(pool.in_use(pool.use_of("nvme0n1")).verdict == InUseVerdict::unknown);

  test::Tree plain{{"proc/swaps", kSwaps},
                   {"proc/self/mountinfo", "30 1 0:41 / / rw - tmpfs t rw\n"}};
  add_disk(plain, "nvme0n1", "259:0");
  const OwnerMap seen(plain.root(), false);
  CHECK(seen.in_use(seen.use_of("nvme0n1")).verdict == InUseVerdict::free);
  const OwnerMap contained(plain.root(), true);
  CHECK(contained.in_use(contained.use_of("nvme0n1")).verdict == InUseVerdict::unknown);
}

TEST_CASE("owners: captures with proc/mounts only are told by device name") {
  test::Tree tree{{"proc/swaps", kSwaps}, {"proc/mounts", "/dev/nvme0n1p1 /data xfs rw 0 0\n"}};
  add_disk(tree, "nvme0n1", "259:0");
  add_partition(tree, "nvme0n1", "nvme0n1p1", "259:1");
  CHECK(text(OwnerMap(tree.root(), false).use_of("nvme0n1")) == "filesystem:/data ");
}
