// Block devices that the kernel itself serves to other machines: NVMe over fabrics (nvmet) and
// SCSI (LIO), from configfs. Both open their devices without a process and, nvmet also without a
// claim, so that nothing else shows them. kernel.md 2.7 number 5.
#pragma once

#include "base/root.hpp"
#include "probes/inventory.hpp"

namespace lk {

struct Export {
  Owner owner;            // nvmet "<subsystem NQN>/<namespace>", lio "iblock_0/disk1"
  std::string path;       // as it was configured: "/dev/disk/by-id/..."
  std::string attribute;  // the file that says so
  std::string device;     // the last name that it leads to: "nvme0n1"; of a file the file's
};

// Those that are enabled. `gaps` receives what could not be read (a missing configfs is none).
std::vector<Export> read_exports(const Root& root, std::vector<std::string>& gaps);

}  // namespace lk
