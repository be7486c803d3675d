// The PCI Express capability in a function's configuration space: what its link and its packets are
// set to. sys/bus/pci/devices/*/config gives 64 bytes to ordinary users and all of it with
// CAP_SYS_ADMIN; the capability stands above the first 64. kernel.md 6.3 and 6.4.
#pragma once

#include "probes/probe.hpp"

namespace lk {

// Speeds in GT/s, sizes in bytes.
struct PciExpress {
  bool has_link = false;  // false for what stands in the root complex itself
  std::optional<double> speed_gts;
  std::optional<double> max_speed_gts;
  std::optional<double> target_speed_gts;  // absent before version 2 of the capability
  std::int64_t width = 0;
  std::int64_t max_width = 0;
  std::int64_t aspm_control = 0;  // LNKCTL 1:0: 1 L0s, 2 L1, 3 both
  std::int64_t max_payload_supported = 0;
  std::int64_t max_payload = 0;
  std::int64_t max_read_request = 0;
};

// What was found, or why nothing was: `error` with an errno of reading, or with err 0 and `cause`.
struct ConfigSpace {
  std::optional<PciExpress> express;
  Cause cause = Cause::absent;
  Error error;

  bool leaves_open() const;  // a value exists, only it was not read
  void book(ProbeContext& context, const std::string& field) const;
};

// Of the bytes of a configuration space. `live`: 64 bytes mean a lack of rights; in a captured tree
// they are all there is. `path` is for messages.
ConfigSpace parse_config_space(std::string_view bytes, bool live, const std::string& path);

// Why the registers of a function must be left alone: it is powered down, and reading them would
// wake it or the ports above it. Empty if they may be read.
std::string asleep(const Root& root, const std::string& device);

// `device` is a device directory. Ask asleep() first, of the ports above as well.
ConfigSpace read_config_space(const Root& root, const std::string& device);

}  // namespace lk
