// Which processes hold drives open: a look at every descriptor of every process. One stat(2) for
// each, of what the kernel knows already; no file name is read and no command line.
#pragma once

#include "probes/drive_devices.hpp"

namespace lk {

struct Holder {
  std::string pid;
  std::vector<DriveUse> uses;  // without repetition
};

struct OpenFiles {
  std::vector<Holder> holders;
  std::int64_t looked_at = 0;      // processes
  std::int64_t not_looked_at = 0;  // processes whose descriptors this user may not see
  bool all_visible = true;         // false: /proc does not show other users' processes (hidepid)
  std::optional<Error> error;      // of the first that was not looked at
};

// `enter` is asked before each batch of processes; where it says no, the batch is left out.
OpenFiles look_at_processes(ProbeContext& context, const DriveDevices& devices,
                            const OwnerMap& owners);

bool is_process(const std::string& name);  // "1234"

}  // namespace lk
