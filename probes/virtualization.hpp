// Whether the host is a machine, a guest or a container, from files alone.
#pragma once

#include <optional>
#include <string>

#include "base/root.hpp"

namespace lk {

// systemd-detect-virt's words: "none", "kvm", "vmware", ...; "vm" for a hypervisor of unknown kind,
// "container" for any container. Absent where nothing tells.
std::optional<std::string> detect_virtualization(const Root& root);

}  // namespace lk
