#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  const auto& aspm = inventory.pci.aspm;
  if (!aspm.policy) return {missing(inventory, "host", "pci.aspm.policy")};
  auto seen =
      observed("host", *aspm.policy, {{"sys/module/pcie_aspm/parameters/policy", *aspm.policy}});
  if (aspm.os_control == false) {
    seen.detail = "without effect: the kernel does not control ASPM";
    seen.locked = "the kernel does not control ASPM: it refuses to change the policy (EPERM)";
  }
  return {seen};
}

Remedy remedy(const ObservationGroup& group, const Expectation& wanted) {
  if (!group.front()->locked.empty()) {
    auto remedy = firmware(
        "Give the operating system control of ASPM in the firmware setup, or "
        "turn ASPM off there; take pcie_aspm=off off the command line.");
    remedy.command = "cat /proc/cmdline; dmesg | grep -i aspm";
    return remedy;
  }
  return runtime(
      "As root; it holds until the next boot. It reconfigures every link of the host: "
      "turning off the drives' links (pcie.aspm_link) touches less.",
      write_command(group, choice(group, wanted)));
}

}  // namespace

extern const Knob kPcieAspmPolicy;
const Knob kPcieAspmPolicy{
    .id = "pcie.aspm_policy",
    .title = "ASPM policy of the host",
    .doc = R"(The kernel's rule for link power states
(`sys/module/pcie_aspm/parameters/policy`): `default` (what the firmware set), `performance` (none),
`powersave`, `powersupersave`. Where the kernel does not control ASPM the file shows a policy that
has no effect; see `pcie.aspm_link` for what is in force.

By hand: `cat /sys/module/pcie_aspm/parameters/policy`)",
    .why = "The policy decides for drives that are plugged in later, too.",
    .risk = Risk::disruptive,
    .power_cost = PowerCost::some,
    .words = {"default", "performance", "powersave", "powersupersave"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
