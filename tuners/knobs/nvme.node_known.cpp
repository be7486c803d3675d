#include "tuners/observe.hpp"

namespace lk {

namespace {

std::string value_of(const NvmeController& drive) {
  if (!drive.effective_node) return "unknown";
  return drive.node_source == NodeSource::kernel_default ? "guess" : "known";
}

Observation look(const Inventory& inventory, const std::string& target,
                 const NvmeController& drive) {
  if (drive.transport && *drive.transport != "pcie") {
    return not_applicable(target, "a fabrics controller hangs on no node of its own");
  }
  if (inventory.numa.nodes.empty()) {
    return not_applicable(target, "the kernel shows no NUMA nodes");
  }
  const std::string path = "sys/bus/pci/devices/" + drive.pci_address.value_or("") + "/numa_node";
  std::vector<Evidence> evidence;
  if (drive.numa_node) evidence.push_back({path, std::to_string(*drive.numa_node)});
  auto seen = observed(target, value_of(drive), std::move(evidence));
  if (drive.effective_node) {
    seen.detail = "node " + std::to_string(*drive.effective_node) + ", from " +
                  std::string(name_of(drive.node_source));
  }
  return seen;
}

std::vector<Observation> observe(const Inventory& inventory) {
  return observe_drives(inventory, look);
}

Remedy remedy(const ObservationGroup& group, const Expectation&) {
  const auto address = group.front()->target.substr(group.front()->target.find(':') + 1);
  auto remedy = firmware(
      "The firmware does not say which node the slot hangs on (_PXM). Turn it on where the setup "
      "has it (HPE: \"Memory Proximity Reporting for I/O\"), update the firmware, or look it up "
      "in the server's manual and name the node in the configuration under numa_nodes. "
      "Do not write numa_node: it taints the kernel and moves nothing.");
  remedy.command = "lspci -t -nn; cat /sys/bus/pci/devices/" + address + "/numa_node";
  return remedy;
}

}  // namespace

extern const Knob kNvmeNodeKnown;
const Knob kNvmeNodeKnown{
    .id = "nvme.node_known",
    .title = "NUMA node of the drive",
    .doc = R"(Whether it is known on which node the drive hangs. Values: `known` (the device or a
port above it says so, the host has one node only, or the configuration names it); `guess` (kernels
before 6.1.56 and 6.5.6 name the first node for a drive whose firmware says nothing); `unknown`
(-1 on a host with several nodes).

By hand: `cat /sys/class/nvme/*/device/numa_node`)",
    .why =
        "Where the node is not known, neither a benchmark nor a service can be placed next to "
        "the drive, and what the kernel calls local is all CPUs.",
    .scope = Scope::nvme,
    .words = {"known", "guess", "unknown"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
