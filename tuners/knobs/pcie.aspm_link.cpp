#include <set>

#include "tuners/observe.hpp"

namespace lk {

namespace {

// Whether a link leads up from it.
bool has_link(PortKind kind) {
  return kind == PortKind::endpoint || kind == PortKind::switch_upstream;
}

std::string value_of(const LinkAspm& aspm) {
  const bool l0s = aspm.l0s.value_or(false);
  const bool l1 = aspm.l1.value_or(false);
  if (l0s && l1) return "l0s+l1";
  return l0s ? "l0s" : l1 ? "l1" : "off";
}

Observation look(const Inventory& inventory, const std::string& address, const LinkAspm& aspm) {
  const auto target = target_of(Scope::pci, address);
  const std::string base = "sys/bus/pci/devices/" + address + "/link/";
  if (aspm.l0s || aspm.l1) {
    std::vector<Evidence> evidence;
    if (aspm.l0s) evidence.push_back({base + "l0s_aspm", *aspm.l0s ? "1" : "0"});
    if (aspm.l1) evidence.push_back({base + "l1_aspm", *aspm.l1 ? "1" : "0"});
    return observed(target, value_of(aspm), std::move(evidence));
  }
  if (is_virtual(inventory)) {
    return not_applicable(target, "the hypervisor owns the link");
  }
  auto seen = missing(inventory, target, "nvme.controllers[].path[].aspm.l1", address);
  if (inventory.pci.aspm.os_control == true) return seen;
  // The firmware's setting stays in force and stays hidden: that is not "no ASPM".
  seen.no_value = Verdict::unknown;
  seen.reason =
      "the kernel does not control ASPM here, and what the firmware set is only in PCI "
      "configuration space, which this version does not read";
  return seen;
}

std::vector<Observation> observe(const Inventory& inventory) {
  std::vector<Observation> all;
  std::set<std::string> done;
  for (const auto& drive : inventory.nvme.controllers) {
    for (const auto& element : drive.path) {
      if (!has_link(element.kind) || !done.insert(element.address).second) continue;
      auto seen = is_foreign(drive) && element.kind == PortKind::endpoint
                      ? not_applicable(target_of(Scope::pci, element.address),
                                       *drive.driver + " owns the function")
                      : look(inventory, element.address, element.aspm);
      seen.name = drive_name(drive);
      seen.traits = drive_traits(drive);
      all.push_back(std::move(seen));
    }
  }
  if (!all.empty()) return all;
  return nothing(inventory, "nvme.controllers[].path", "the host has no drive on a PCIe link");
}

Remedy remedy(const ObservationGroup& group, const Expectation&) {
  std::vector<std::string> paths;
  for (const Observation* seen : group) {
    for (const auto& each : seen->evidence) {
      if (each.raw == "1") paths.push_back("/" + each.path);
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
    .doc = R"(Which power states a PCIe link on the way to a drive may enter by itself
(`sys/bus/pci/devices/<function>/link/l0s_aspm`, `l1_aspm`: the kernel's cached view, shown only
while it controls ASPM). Values: `off`, `l0s`, `l1`, `l0s+l1`. Where the kernel does not control
ASPM the firmware's setting is in force and cannot be seen without PCI configuration space, so the
answer is unknown, not off.

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
