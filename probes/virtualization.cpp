#include "probes/virtualization.hpp"

#include <array>

#include "base/text.hpp"
#include "probes/cpuinfo.hpp"

namespace lk {

namespace {

std::string read(const Root& root, std::string_view path, std::size_t limit = 4096) {
  const auto text = root.read_start(path, limit);
  return text ? std::string(trim(*text)) : std::string();
}

bool in_container(const Root& root) {
  for (const auto* mark : {"run/.containerenv", ".dockerenv", "run/secrets/kubernetes.io"}) {
    if (root.exists(mark)) return true;
  }
  if (!read(root, "run/systemd/container").empty()) return true;
  const auto environment = root.read_start("proc/1/environ", Root::kAttributeLimit);
  if (!environment) return false;
  for (const auto entry : split(*environment, '\0')) {
    if (entry.starts_with("container=") && entry.size() > 10) return true;
  }
  return false;
}

struct Sign {
  std::string_view text;
  std::string_view kind;
};

// What the firmware tables of hypervisors begin with; more particular ones first.
constexpr std::array<Sign, 19> kDmiSigns{{
    {"Amazon EC2", "amazon"},
    {"Google Compute Engine", "google"},
    {"KubeVirt", "kvm"},
    {"OpenStack", "kvm"},
    {"KVM", "kvm"},
    {"Red Hat", "kvm"},
    {"oVirt", "kvm"},
    {"VMware", "vmware"},
    {"VMW", "vmware"},
    {"VirtualBox", "oracle"},
    {"innotek GmbH", "oracle"},
    {"Xen", "xen"},
    {"Bochs", "bochs"},
    {"Parallels", "parallels"},
    {"BHYVE", "bhyve"},
    {"Hyper-V", "microsoft"},
    {"Virtual Machine", "microsoft"},
    {"Apple Virtualization", "apple"},
    {"QEMU", "qemu"},
}};

std::optional<std::string> from_dmi(const Root& root) {
  for (const auto* name : {"product_name", "sys_vendor", "board_vendor", "bios_vendor"}) {
    const auto text = read(root, std::string("sys/class/dmi/id/") + name);
    for (const auto& sign : kDmiSigns) {
      if (text.starts_with(sign.text)) return std::string(sign.kind);
    }
  }
  return std::nullopt;
}

// Guests use their hypervisor's clock, or at least list it.
std::optional<std::string> from_clocks(const Root& root) {
  const auto clocks =
      read(root, "sys/devices/system/clocksource/clocksource0/available_clocksource");
  if (clocks.find("kvm-clock") != std::string::npos) return "kvm";
  if (clocks.find("hyperv") != std::string::npos) return "microsoft";
  if (clocks.find("xen") != std::string::npos) return "xen";
  return std::nullopt;
}

std::optional<std::string> without_cpu_flag(const Root& root) {
  const auto sysinfo = read(root, "proc/sysinfo", Root::kAttributeLimit);  // s390
  if (sysinfo.find("Control Program: KVM") != std::string::npos) return "kvm";
  if (sysinfo.find("Control Program: z/VM") != std::string::npos) return "zvm";
  if (!sysinfo.empty()) return "none";
  const auto tree = read(root, "proc/device-tree/hypervisor/compatible");
  if (tree.find("linux,kvm") != std::string::npos) return "kvm";
  if (tree.find("xen") != std::string::npos) return "xen";
  if (!tree.empty()) return "vm";
  return std::nullopt;
}

}  // namespace

std::optional<std::string> detect_virtualization(const Root& root) {
  if (in_container(root)) return "container";
  const bool xen = read(root, "sys/hypervisor/type") == "xen";
  if (xen && read(root, "proc/xen/capabilities").find("control_d") == std::string::npos) {
    return "xen";
  }
  const auto cpuinfo = parse_cpuinfo(read(root, "proc/cpuinfo", Root::kAttributeLimit));
  if (cpuinfo.has_flags && !cpuinfo.hypervisor) return "none";
  auto dmi = from_dmi(root);
  if (cpuinfo.hypervisor) {
    if (dmi && dmi != "qemu") return dmi;
    if (auto clock = from_clocks(root)) return clock;
    return dmi ? dmi : "vm";
  }
  if (dmi) return dmi;
  if (auto other = without_cpu_flag(root)) return other;
  // A vendor in the firmware's tables that is no hypervisor's is a machine.
  if (!read(root, "sys/class/dmi/id/sys_vendor").empty()) return "none";
  return std::nullopt;
}

}  // namespace lk
