// ZFS pools, as far as the kernel and udev tell. The kernel names imported pools, and not their
// disks; udev wrote down which disks bear a ZFS label of which pool when it last looked.
#pragma once

#include <optional>

#include "base/root.hpp"

namespace lk {

// Pools that are imported: proc/spl/kstat/zfs/<pool>.
std::vector<std::string> zfs_pools(const Root& root);

// The pool whose label the block device of this number ("259:1") bears, if it is one of `pools`.
// Null proves nothing: udev may not run, or not have looked since the pool was made.
std::optional<std::string> zfs_pool_of(const Root& root, const std::string& number,
                                       const std::vector<std::string>& pools);

// "tank/home" -> "tank"
std::string_view pool_of_dataset(std::string_view dataset);

// What of udev's record of a device says that it is a pool's; empty if nothing does. For captures.
std::string zfs_lines(std::string_view record);

}  // namespace lk
