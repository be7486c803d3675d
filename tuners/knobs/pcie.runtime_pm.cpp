#include <set>

#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  std::vector<Observation> all;
  std::set<std::string> done;
  for (const auto& drive : inventory.nvme.controllers) {
    for (const auto& element : drive.path) {
      if (!done.insert(element.address).second) continue;
      const auto target = target_of(Scope::pci, element.address);
      Observation seen;
      if (is_foreign(drive) && element.kind == PortKind::endpoint) {
        seen = not_applicable(target, *drive.driver + " owns the function");
      } else if (element.runtime_pm) {
        seen = observed(
            target, *element.runtime_pm,
            {{"sys/bus/pci/devices/" + element.address + "/power/control", *element.runtime_pm}});
      } else {
        seen = missing(inventory, target, "nvme.controllers[].path[].runtime_pm", element.address);
      }
      seen.name = drive_name(drive);
      seen.traits = drive_traits(drive);
      all.push_back(std::move(seen));
    }
  }
  if (!all.empty()) return all;
  return nothing(inventory, "nvme.controllers[].path", "the host has no drive on PCI");
}

Remedy remedy(const ObservationGroup& group, const Expectation&) {
  return runtime(
      "As root; it holds until the next boot. A udev rule or a laptop tool usually set "
      "it to auto.",
      write_command(group, "on"));
}

}  // namespace

extern const Knob kPcieRuntimePm;
const Knob kPcieRuntimePm{
    .id = "pcie.runtime_pm",
    .title = "Run-time power management of drives and ports",
    .doc =
        R"(Whether the kernel may suspend a drive's function or a port above it when it looks idle
(`sys/bus/pci/devices/<function>/power/control`). Values: `on` (always powered), `auto`.

By hand: `cat /sys/bus/pci/devices/<address>/power/control`)",
    .why =
        "A port that was suspended must be powered up before the drive below it answers, and "
        "some drives do not come back from D3cold.",
    .scope = Scope::pci,
    .risk = Risk::safe,
    .power_cost = PowerCost::some,
    .words = {"on", "auto"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
