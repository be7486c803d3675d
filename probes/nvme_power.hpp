// A drive's autonomous power states and its temperature. kernel.md 2.5.
#pragma once

#include "probes/probe.hpp"

namespace lk {

// `directory`: "sys/class/nvme/nvme0"; empty for a function that was only seen on PCI.
//
// The kernel answers a read of the temperature with an admin command to the drive, so that it is
// read only where that was asked for (CollectOptions::ask_drives), and on captured trees, where
// there is no drive to ask.
void read_drive_power(ProbeContext& context, const std::string& directory, NvmeController& out);

}  // namespace lk
