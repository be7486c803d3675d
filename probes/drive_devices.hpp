// Which open file leads to which NVMe drive: block devices (disk, partitions, what is stacked on
// them), the character devices of namespaces (ngXnY), VFIO groups and devices, UIO devices, and
// files of file systems on a drive. The controller's own device (/dev/nvme0) is none: it is opened
// to ask after a drive's health, not to use it.
#pragma once

#include "probes/owners.hpp"

namespace lk {

// One way to a drive: places in inventory.nvme.controllers and inventory.nvme.namespaces.
struct DriveUse {
  std::size_t drive = 0;
  Via via = Via::device;
  std::optional<std::size_t> ns = {};  // null if the drive shows no namespaces (vfio)

  friend auto operator<=>(const DriveUse&, const DriveUse&) = default;
};

// What a capture's link says of a file whose file system is not mounted where the capturer sees it.
constexpr std::string_view kFileOn = "file on /dev/";

class DriveDevices {
 public:
  DriveDevices(ProbeContext& context, const OwnerMap& owners);

  bool empty() const { return by_name_.empty(); }

  // What an open file of the live host leads to.
  std::vector<DriveUse> uses_of(const Root::OpenFile& file) const;
  // What a descriptor's link in a captured tree leads to: "/dev/nvme0n1", "/srv/data/x",
  // "file on /dev/nvme0n1".
  std::vector<DriveUse> uses_of(std::string_view link, const OwnerMap& owners) const;

 private:
  using Uses = std::map<std::string, std::vector<DriveUse>>;
  void add(Uses& kind, const std::string& number, const std::string& place, DriveUse use);
  void add_namespaces(const ProbeContext& context, const OwnerMap& owners);
  void add_generic(const ProbeContext& context);
  void add_user_space(const ProbeContext& context);

  Uses blocks_;       // by number
  Uses characters_;   // by number
  Uses filesystems_;  // by number
  Uses by_name_;      // "/dev/nvme0n1"
};

}  // namespace lk
