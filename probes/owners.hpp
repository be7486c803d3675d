// Who uses a disk, from /sys and /proc: mounts, swap, the devices stacked on it (device mapper,
// LVM, md, bcache, ...) through any number of layers, kernel exports and, as far as udev noted
// them, ZFS pools. kernel.md 2.7 numbers 1, 2, 5 and 6.
//
// Not seen here: signatures of idle members, which are looked up when a benchmark asks, and open
// descriptors (open_files.hpp).
#pragma once

#include <map>

#include "probes/exports.hpp"
#include "probes/probe.hpp"

namespace lk {

struct DiskUse {
  std::vector<Owner> owners;  // without repetition, in the order found
  bool boot = false;          // /, /boot, /boot/efi, /usr or swap is on it
  // The disk, its partitions and all that is stacked on them: name -> "259:1".
  std::map<std::string, std::string> devices;
};

// Adds it if it is not there yet.
void add_owner(std::vector<Owner>& owners, OwnerKind kind, const std::string& name);

// What one look at the host's mounts and swap showed. Build it once per probe.
class OwnerMap {
 public:
  // `container`: this process does not see the host's mounts.
  OwnerMap(const Root& root, bool container);

  // Everything on `disk` (a name in sys/class/block), its partitions and what is stacked on them.
  DiskUse use_of(const std::string& disk) const;

  // "free" only if every source could be read.
  InUse in_use(const DiskUse& use) const;

  // Whether mounts and swap could be read, so that a role can be told.
  bool complete() const { return gaps_.empty(); }
  const std::vector<std::string>& gaps() const { return gaps_; }

  struct Mount {
    std::string number;  // "259:1"; "0:45" for file systems without a device of their own
    std::string point;
    std::string type;
    std::string source;  // "/dev/mapper/x"
  };
  // The mount that `path` is on; null if mounts could not be read.
  const Mount* mount_of(std::string_view path) const;
  // The first mount of the file system on a device ("259:1"); null if there is none.
  const Mount* mount_on(std::string_view number) const;

 private:
  void read_mounts();
  bool read_mountinfo(const std::string& path);
  void read_swaps();
  void read_btrfs();
  void walk(const std::string& path, DiskUse& use) const;
  void add_users(const std::string& name, const std::string& number, DiskUse& use) const;
  void add_siblings(const std::string& name, DiskUse& use) const;
  void add_pool(const std::string& number, DiskUse& use) const;
  void add_mount(const Mount& mount, DiskUse& use) const;

  Root root_;
  std::vector<Mount> mounts_;
  std::vector<std::string> swaps_;                         // devices: "/dev/sda3", "/dev/dm-1"
  std::vector<std::pair<std::string, Mount>> swap_files_;  // the file, and the mount it is on
  std::map<std::string, std::vector<std::string>> btrfs_;  // device name -> its siblings
  std::vector<Export> exports_;
  std::vector<std::string> pools_;  // ZFS
  std::vector<std::string> gaps_;   // what could not be read
};

}  // namespace lk
