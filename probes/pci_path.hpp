// The way from the root complex to a PCI function: which ports, their links, and what power
// management is on. kernel.md 2.2 and 6; link_verdict.hpp judges the links.
#pragma once

#include "probes/probe.hpp"

namespace lk {

// "0000:3b:00.0"; VMD's emulated domains have five digits ("10000:01:00.0").
bool is_pci_address(std::string_view text);

// Numeric order of domains: "10000:..." stands after "ffff:...".
bool pci_address_less(const std::string& a, const std::string& b);

// The functions on a resolved device path, root first; what stands below the last one is ignored.
// Each is its own path: "sys/devices/pci0000:3a/0000:3a:01.0".
std::vector<std::string> pci_functions(std::string_view real_path);

// The driver that is bound to a device directory; empty if none.
std::optional<std::string> driver_of(const Root& root, const std::string& device);

// vfio-pci, igb_uio, uio_pci_generic and their kin: a program in user space has the function, and
// nobody else reads its registers or writes to it.
bool is_user_space_driver(const std::optional<std::string>& driver);

// Reads the elements of `functions`. Problems are booked under `field` ("nvme.controllers[]").
// `leave_alone`: the last function belongs to somebody who may have put it to sleep (vfio, uio);
// its registers are not read.
std::vector<PathElement> read_pci_path(ProbeContext& context,
                                       const std::vector<std::string>& functions,
                                       const std::string& field, bool leave_alone);

}  // namespace lk
