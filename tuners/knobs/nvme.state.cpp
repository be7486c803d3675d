#include <algorithm>
#include <set>

#include "tuners/observe.hpp"

namespace lk {

namespace {

// The ANA state of a path of this controller that can carry no I/O.
std::optional<NamespacePath> dead_path(const Inventory& inventory, const NvmeController& drive) {
  static const std::set<std::string> dead{"inaccessible", "persistent-loss", "change"};
  for (const auto& space : inventory.nvme.namespaces) {
    for (const auto& path : space.paths) {
      const bool mine = drive.name && path.controller == *drive.name;
      if (mine && path.ana_state && dead.contains(*path.ana_state)) return path;
    }
  }
  return std::nullopt;
}

Observation without_driver(const Inventory& inventory, const std::string& target,
                           const NvmeController& drive) {
  const std::string path = "sys/bus/pci/devices/" + drive.pci_address.value_or("") + "/driver";
  if (inventory.live && drive.pci_address) {
    auto seen = observed(target, Value{"no_driver"}, {{path, "absent"}});
    seen.detail = "the function is on PCI, but no driver is bound";
    return seen;
  }
  return not_applicable(target, "seen on PCI only, without a driver");
}

Observation with_state(const Inventory& inventory, const std::string& target,
                       const NvmeController& drive) {
  const std::string path = "sys/class/nvme/" + drive.name.value_or("") + "/state";
  auto seen = observed(target, *drive.state, {{path, *drive.state}});
  if (*drive.state != "live") return seen;
  if (const auto dead = dead_path(inventory, drive)) {
    seen.value = Value{"path_unusable"};
    seen.detail = dead->name + " is " + *dead->ana_state;
    seen.evidence.push_back({"sys/block/" + dead->name + "/ana_state", *dead->ana_state});
  }
  return seen;
}

Observation look(const Inventory& inventory, const std::string& target,
                 const NvmeController& drive) {
  if (is_foreign(drive)) {
    return not_applicable(target, *drive.driver +
                                      " owns the function, the kernel has no "
                                      "controller to ask");
  }
  if (drive.state) return with_state(inventory, target, drive);
  if (!drive.name) return without_driver(inventory, target, drive);
  return missing(inventory, target, "nvme.controllers[].state", hint_of(drive));
}

std::vector<Observation> observe(const Inventory& inventory) {
  return observe_drives(inventory, look);
}

Remedy remedy(const ObservationGroup& group, const Expectation&) {
  auto remedy = no_remedy(
      "Look into the kernel log first. A controller in state resetting or connecting may come "
      "back by itself; dead, or without a driver, means that the kernel gave it up: reseat or "
      "replace the drive, or check cable and backplane.");
  remedy.command = "dmesg | grep -i nvme | tail -n 50";
  if (std::get<std::string>(*group.front()->value) == "path_unusable") {
    remedy.text =
        "The target reports that this path carries no I/O (ANA). Check the target and "
        "the fabric.";
    remedy.command = "nvme list-subsys";
  }
  return remedy;
}

}  // namespace

extern const Knob kNvmeState;
const Knob kNvmeState{
    .id = "nvme.state",
    .title = "Controller state",
    .doc = R"(Whether the controller works (`sys/class/nvme/nvme<N>/state`) and all its paths carry
I/O (`sys/block/<path>/ana_state`). Values: `live`; `new`, `connecting`, `resetting`, `deleting`,
`dead` as the kernel says; `path_unusable` for a live controller with a path that is inaccessible,
lost or changing; `no_driver` for an NVMe function without a driver, which is what a drive leaves
behind when the kernel gives it up.

By hand: `grep . /sys/class/nvme/*/state`)",
    .why = "A controller that is not live serves no I/O, or has just lost all its queues.",
    .scope = Scope::nvme,
    .words = {"live", "new", "connecting", "resetting", "deleting", "dead", "path_unusable",
              "no_driver"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
