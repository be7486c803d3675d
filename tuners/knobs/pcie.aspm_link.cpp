#include <algorithm>
#include <utility>

#include "probes/link_verdict.hpp"
#include "tuners/observe.hpp"

namespace lk {

namespace {

std::string word_for(bool l0s, bool l1) {
  if (l0s && l1) return "l0s+l1";
  return l0s ? "l0s" : l1 ? "l1" : "off";
}

Evidence register_of(const PathElement& end) {
  const auto control = end.aspm_control.value_or(0);
  return {"sys/bus/pci/devices/" + end.address + "/config",
          "LNKCTL enables " +
              (control == 0 ? "nothing" : word_for((control & 1) != 0, (control & 2) != 0))};
}

std::vector<Evidence> evidence_of(const PathElement* above, const PathElement& end) {
  std::vector<Evidence> evidence;
  if (end.aspm.source == AspmSource::config_space) {
    if (above != nullptr && above->aspm_control) evidence.push_back(register_of(*above));
    if (end.aspm_control) evidence.push_back(register_of(end));
    return evidence;
  }
  const std::string base = "sys/bus/pci/devices/" + end.address + "/link/";
  if (end.aspm.l0s) evidence.push_back({base + "l0s_aspm", *end.aspm.l0s ? "1" : "0"});
  if (end.aspm.l1) evidence.push_back({base + "l1_aspm", *end.aspm.l1 ? "1" : "0"});
  return evidence;
}

Observation look(const Inventory& inventory, const PathElement* above, const PathElement& end) {
  const auto target = target_of(Scope::pci, end.address);
  const auto& aspm = end.aspm;
  if (aspm.l0s || aspm.l1) {
    auto seen = observed(target, word_for(aspm.l0s.value_or(false), aspm.l1.value_or(false)),
                         evidence_of(above, end));
    if (inventory.pci.aspm.os_control == false) {
      seen.locked = "the kernel does not control ASPM: only the firmware can change it";
    }
    return seen;
  }
  if (is_virtual(inventory)) {
    return not_applicable(target, "the hypervisor owns the link");
  }
  auto seen = missing(inventory, target, "nvme.controllers[].path[].aspm.l1", end.address);
  // The firmware's setting stays in force and stays hidden: that is not "no ASPM".
  if (inventory.pci.aspm.os_control != true && seen.no_value == Verdict::not_applicable) {
    seen.no_value = Verdict::unknown;
    seen.reason =
        "what the firmware set is only in configuration space, and the kernel shows nothing of its "
        "own: " +
        seen.reason;
  }
  return seen;
}

// One link may carry several drives: the target is the link, and all of them are named.
void add_drive(Observation& seen, const NvmeController& drive) {
  const auto traits = drive_traits(drive);
  if (seen.name.empty()) {
    seen.name = drive_name(drive);
    seen.traits = traits;
    return;
  }
  seen.also.push_back(drive_name(drive));
  if (traits.role == "boot") seen.traits.role = traits.role;
  seen.traits.owners.insert(seen.traits.owners.end(), traits.owners.begin(), traits.owners.end());
}

std::vector<Observation> observe(const Inventory& inventory) {
  std::vector<Observation> all;
  for (const auto& drive : inventory.nvme.controllers) {
    const PathElement* above = nullptr;
    for (const auto& element : drive.path) {
      const PathElement* port = std::exchange(above, &element);
      if (!leads_up(element.kind)) continue;
      const auto target = target_of(Scope::pci, element.address);
      auto known = std::find_if(all.begin(), all.end(),
                                [&](const auto& each) { return each.target == target; });
      if (known == all.end()) {
        const bool foreign = is_foreign(drive) && element.kind == PortKind::endpoint;
        all.push_back(foreign ? not_applicable(target, *drive.driver + " owns the function")
                              : look(inventory, port, element));
        known = all.end() - 1;
      }
      add_drive(*known, drive);
    }
  }
  if (!all.empty()) return all;
  return nothing(inventory, "nvme.controllers[].path", "the host has no drive on a PCIe link");
}

Remedy remedy(const ObservationGroup& group, const Expectation&) {
  if (!group.front()->locked.empty()) {
    auto remedy = firmware(
        "Turn ASPM off for the drives' slots in the firmware setup, or give the operating system "
        "control of it there and take pcie_aspm=off off the command line.");
    remedy.command = "cat /proc/cmdline; dmesg | grep -i aspm";
    return remedy;
  }
  std::vector<std::string> paths;
  for (const Observation* seen : group) {
    const auto& value = std::get<std::string>(*seen->value);
    const auto base = "/sys/bus/pci/devices/" + seen->target.substr(seen->target.find(':') + 1);
    for (const std::string state : {"l0s", "l1"}) {
      if (value.find(state) != std::string::npos) {
        paths.push_back(base + "/link/" + state + "_aspm");
      }
    }
  }
  return runtime(
      "As root, one link after the other; it holds until the next boot. Turning L1 off "
      "turns its substates off too, and they do not come back by themselves.",
      "echo 0 | tee " + brace_paths(paths));
}

}  // namespace

extern const Knob kPcieAspmLink;
const Knob kPcieAspmLink{
    .id = "pcie.aspm_link",
    .title = "ASPM on the drives' links",
    .doc =
        R"(Which power states a PCIe link on the way to a drive may enter by itself. Root reads it
from the link control register (LNKCTL) of both ends, which also shows what the firmware set where
the kernel does not control ASPM: L1 needs both ends, L0s one. Others see the kernel's cached view
(`sys/bus/pci/devices/<function>/link/l0s_aspm`, `l1_aspm`), which exists only while the kernel
controls ASPM; without either the answer is unknown, not off. Values: `off`, `l0s`, `l1`, `l0s+l1`.
A link that several drives share is one target that names them all.

By hand: `lspci -vv -s <address> | grep -e LnkCtl: -e L1SubCtl`)",
    .why =
        "A link that leaves L1 takes some microseconds, with substates up to a hundred, before "
        "the first request of a burst moves.",
    .scope = Scope::pci,
    .risk = Risk::disruptive,
    .power_cost = PowerCost::some,
    .words = {"off", "l0s", "l1", "l0s+l1"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
