#include "probes/owners.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "probes/zfs.hpp"

namespace lk {

namespace {

// mountinfo and swaps write blanks, tabs, newlines and backslashes as octal: "\040".
std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digit = [&](std::size_t at) {
      return at < text.size() && text[at] >= '0' && text[at] <= '7';
    };
    if (text[i] == '\\' && digit(i + 1) && digit(i + 2) && digit(i + 3)) {
      out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                               (text[i + 3] - '0'));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool is_boot_point(std::string_view point) {
  return point == "/" || point == "/boot" || point == "/boot/efi" || point == "/efi" ||
         point == "/usr";
}

std::string trimmed(const Root& root, const std::string& path) {
  const auto text = root.read(path);
  return text ? std::string(trim(*text)) : std::string();
}

// Where the block device `name` has its directory.
std::string directory_of(const Root& root, const std::string& name) {
  for (const char* base : {"sys/class/block/", "sys/block/"}) {
    if (root.exists(base + name)) return base + name;
  }
  return {};
}

bool inside(std::string_view file, std::string_view point) {
  if (point == "/") return true;
  return file.starts_with(point) && (file.size() == point.size() || file[point.size()] == '/');
}

// How a device that stands on another is named to people. ceph-volume names its volume groups
// "ceph-<uuid>"; device mapper doubles the dashes inside a group's name.
Owner holder(const Root& root, const std::string& name) {
  const std::string directory = directory_of(root, name);
  if (root.exists(directory + "/md")) return {OwnerKind::md, name};
  if (!root.exists(directory + "/dm")) {
    return {name.starts_with("dm-") ? OwnerKind::dm : OwnerKind::block, name};
  }
  const std::string label = trimmed(root, directory + "/dm/name");
  const bool lvm = trimmed(root, directory + "/dm/uuid").starts_with("LVM-");
  const bool ceph = label.starts_with("ceph--");
  return {ceph  ? OwnerKind::ceph
          : lvm ? OwnerKind::lvm
                : OwnerKind::dm,
          label.empty() ? name : label};
}

}  // namespace

void add_owner(std::vector<Owner>& owners, OwnerKind kind, const std::string& name) {
  const auto same = [&](const Owner& each) { return each.kind == kind && each.name == name; };
  if (std::none_of(owners.begin(), owners.end(), same)) owners.push_back({kind, name});
}

OwnerMap::OwnerMap(const Root& root, bool container) : root_(root) {
  if (container) gaps_.emplace_back("inside a container the host's mounts are not seen");
  read_mounts();
  read_swaps();
  read_btrfs();
  exports_ = read_exports(root_, gaps_);
  pools_ = zfs_pools(root_);
  for (const auto& mount : mounts_) {
    if (mount.type != "zfs") continue;
    const std::string pool(pool_of_dataset(mount.source));
    if (std::find(pools_.begin(), pools_.end(), pool) == pools_.end()) pools_.push_back(pool);
  }
  if (!pools_.empty()) {
    gaps_.emplace_back("a ZFS pool is imported, and the kernel does not name its disks");
  }
}

void OwnerMap::read_mounts() {
  if (read_mountinfo("proc/self/mountinfo") || read_mountinfo("proc/1/mountinfo")) return;
  for (const char* path : {"proc/self/mounts", "proc/mounts", "proc/1/mounts"}) {
    const auto text = root_.read(path, Root::kTableLimit);
    if (!text) continue;
    for (const auto line : split(*text, '\n')) {
      const auto fields = words(line);
      if (fields.size() < 3) continue;
      mounts_.push_back({"", unescape(fields[1]), std::string(fields[2]), unescape(fields[0])});
    }
    return;
  }
  gaps_.emplace_back("proc/self/mountinfo could not be read");
}

bool OwnerMap::read_mountinfo(const std::string& path) {
  const auto text = root_.read(path, Root::kTableLimit);
  if (!text) return false;
  for (const auto line : split(*text, '\n')) {
    // 36 35 98:0 /root /point rw,noatime master:1 - ext3 /dev/root rw
    const auto fields = words(line);
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    if (fields.size() < 5 || fields.end() - dash < 3) continue;
    mounts_.push_back({std::string(fields[2]), unescape(fields[4]), std::string(*(dash + 1)),
                       unescape(*(dash + 2))});
  }
  return !mounts_.empty();
}

void OwnerMap::read_swaps() {
  const auto text = root_.read("proc/swaps");
  if (!text) {
    gaps_.emplace_back("proc/swaps could not be read");
    return;
  }
  for (const auto line : split(*text, '\n')) {
    const auto fields = words(line);
    if (fields.size() < 2 || fields[0] == "Filename") continue;
    const std::string name = unescape(fields[0]);
    if (fields[1] == "partition") {
      swaps_.push_back(name);
      continue;
    }
    if (const Mount* home = mount_of(name)) swap_files_.emplace_back(name, *home);
  }
}

const OwnerMap::Mount* OwnerMap::mount_of(std::string_view path) const {
  const Mount* home = nullptr;
  for (const auto& mount : mounts_) {
    // The last mount wins where several stand on one point.
    if (inside(path, mount.point) && (!home || mount.point.size() >= home->point.size())) {
      home = &mount;
    }
  }
  return home;
}

const OwnerMap::Mount* OwnerMap::mount_on(std::string_view number) const {
  const auto found = std::find_if(mounts_.begin(), mounts_.end(),
                                  [&](const Mount& mount) { return mount.number == number; });
  return found == mounts_.end() || number.empty() ? nullptr : &*found;
}

// A btrfs of several devices has one device in mountinfo; the others stand here.
void OwnerMap::read_btrfs() {
  const auto systems = root_.list("sys/fs/btrfs");
  if (!systems) return;
  for (const auto& each : *systems) {
    const auto devices = root_.list("sys/fs/btrfs/" + each + "/devices");
    if (!devices) continue;
    for (const auto& device : *devices) btrfs_[device] = *devices;
  }
}

void OwnerMap::add_mount(const Mount& mount, DiskUse& use) const {
  add_owner(use.owners, OwnerKind::filesystem, mount.point);
  use.boot |= is_boot_point(mount.point);
}

void OwnerMap::add_users(const std::string& name, const std::string& number, DiskUse& use) const {
  std::vector<std::string> sources{"/dev/" + name};
  const std::string label = trimmed(root_, directory_of(root_, name) + "/dm/name");
  if (!label.empty()) sources.push_back("/dev/mapper/" + label);
  const auto named = [&](const std::string& source) {
    return std::find(sources.begin(), sources.end(), source) != sources.end();
  };
  const auto on_it = [&](const Mount& mount) {
    // File systems with numbers of their own (0:45) are told by the device they were mounted from.
    if (mount.number.empty() || mount.number.starts_with("0:")) return named(mount.source);
    return mount.number == number;
  };
  for (const auto& mount : mounts_) {
    if (on_it(mount)) add_mount(mount, use);
  }
  for (const auto& swap : swaps_) {
    if (!named(swap)) continue;
    add_owner(use.owners, OwnerKind::swap, swap);
    use.boot = true;
  }
  for (const auto& [file, mount] : swap_files_) {
    if (!on_it(mount)) continue;
    add_owner(use.owners, OwnerKind::swap, file);
    use.boot = true;
  }
  for (const auto& each : exports_) {
    if (each.device == name || named(each.path)) {
      add_owner(use.owners, each.owner.kind, each.owner.name);
    }
  }
  add_siblings(name, use);
  add_pool(number, use);
}

void OwnerMap::add_siblings(const std::string& name, DiskUse& use) const {
  const auto siblings = btrfs_.find(name);
  if (siblings == btrfs_.end()) return;
  bool mounted = false;
  for (const auto& sibling : siblings->second) {
    for (const auto& mount : mounts_) {
      if (mount.type != "btrfs" || base_name(mount.source) != sibling) continue;
      add_mount(mount, use);
      mounted = true;
    }
  }
  if (!mounted) add_owner(use.owners, OwnerKind::filesystem, "btrfs");
}

void OwnerMap::add_pool(const std::string& number, DiskUse& use) const {
  const auto pool = zfs_pool_of(root_, number, pools_);
  if (!pool) return;
  add_owner(use.owners, OwnerKind::zfs, *pool);
  for (const auto& mount : mounts_) {
    if (mount.type == "zfs" && pool_of_dataset(mount.source) == *pool) add_mount(mount, use);
  }
}

void OwnerMap::walk(const std::string& path, DiskUse& use) const {
  const std::string name(base_name(path));
  const std::string number = trimmed(root_, path + "/dev");
  if (!use.devices.emplace(name, number).second) return;
  add_users(name, number, use);
  if (const auto holders = root_.list(path + "/holders")) {
    for (const auto& each : *holders) {
      const Owner owner = holder(root_, each);
      add_owner(use.owners, owner.kind, owner.name);
      const std::string above = directory_of(root_, each);
      if (!above.empty()) walk(above, use);
    }
  }
  const auto entries = root_.list(path);
  if (!entries) return;
  for (const auto& entry : *entries) {
    if (entry.starts_with(name) && root_.exists(path + "/" + entry + "/partition")) {
      walk(path + "/" + entry, use);
    }
  }
}

DiskUse OwnerMap::use_of(const std::string& disk) const {
  DiskUse use;
  const std::string path = directory_of(root_, disk);
  if (!path.empty()) walk(path, use);
  return use;
}

InUse OwnerMap::in_use(const DiskUse& use) const {
  InUse verdict;
  for (const auto& owner : use.owners) {
    verdict.reasons.push_back(std::string(name_of(owner.kind)) + " " + owner.name);
  }
  if (!use.owners.empty()) {
    verdict.verdict = InUseVerdict::in_use;
  } else if (gaps_.empty()) {
    verdict.verdict = InUseVerdict::free;
  } else {
    verdict.reasons = gaps_;
  }
  return verdict;
}

}  // namespace lk
