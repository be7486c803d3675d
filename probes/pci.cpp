// PCI Express power management of the whole host. kernel.md 6.1.

#include <algorithm>

#include "base/text.hpp"
#include "probes/probe.hpp"

namespace lk {

namespace {

constexpr const char* kPolicy = "sys/module/pcie_aspm/parameters/policy";
constexpr const char* kFadt = "sys/firmware/acpi/tables/FACP";
constexpr std::size_t kBootArch = 109;  // IAPC_BOOT_ARCH, 16 bits
constexpr unsigned kNoAspm = 1U << 4U;  // "OSPM must not enable ASPM"

// The kernel shows link/ attributes only while it may change ASPM.
bool shows_controls(const Root& root) {
  const auto devices = root.list("sys/bus/pci/devices");
  if (!devices) return false;
  return std::any_of(devices->begin(), devices->end(), [&](const std::string& address) {
    const auto controls = root.list("sys/bus/pci/devices/" + address + "/link");
    return controls && !controls->empty();
  });
}

bool turned_off(const Root& root) {
  const auto cmdline = root.read("proc/cmdline");
  if (!cmdline) return false;
  const auto options = words(*cmdline);
  return std::find(options.begin(), options.end(), "pcie_aspm=off") != options.end();
}

std::optional<bool> fadt_forbids(const Root& root) {
  const auto table = root.read_start(kFadt, kBootArch + 2);
  if (!table || table->size() < kBootArch + 2) return std::nullopt;
  return (static_cast<unsigned char>((*table)[kBootArch]) & kNoAspm) != 0;
}

std::optional<bool> os_control(ProbeContext& context) {
  if (shows_controls(context.root)) return true;
  if (turned_off(context.root)) return false;
  if (!context.root.exists("sys/module/pcie_aspm") && context.root.exists("sys/module")) {
    return false;  // the kernel was built without ASPM support
  }
  if (fadt_forbids(context.root) == true) return false;
  context.missing("pci.aspm.os_control", Cause::absent,
                  "no link shows an ASPM control: firmware keeps it, or no two ends offer ASPM",
                  "sys/bus/pci/devices");
  return std::nullopt;
}

void run(ProbeContext& context) {
  PciAspm& aspm = context.inventory.pci.aspm;
  aspm.os_control = os_control(context);
  if (auto found = context.selector("pci.aspm.policy", kPolicy, kPolicy)) {
    aspm.policy = std::move(found->chosen);
  }
}

}  // namespace

extern const Probe kPci{"pci", "sys/module/pcie_aspm, sys/bus/pci/devices/*/link", run, nullptr};

}  // namespace lk
