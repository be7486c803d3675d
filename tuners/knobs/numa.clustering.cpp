#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  const auto& clustering = inventory.numa.clustering;
  if (inventory.numa.nodes.empty()) {
    return nothing(inventory, "numa.nodes", "the kernel shows no NUMA nodes");
  }
  if (clustering.kind == ClusteringKind::unknown && clustering.evidence.empty()) {
    return {unknown("host", "how the nodes were made cannot be told")};
  }
  std::vector<Evidence> evidence;
  for (const auto& each : clustering.evidence) {
    evidence.push_back({"sys/devices/system/node", each});
  }
  auto seen = observed("host", std::string(name_of(clustering.kind)), std::move(evidence));
  if (clustering.nodes_per_package) {
    seen.detail = std::to_string(*clustering.nodes_per_package) +
                  (clustering.nodes_per_package == 1 ? " node" : " nodes") + " in each package";
  }
  for (const auto& other : clustering.ambiguous_with) {
    seen.detail += (seen.detail.empty() ? "" : ", ") + ("or " + other);
  }
  seen.traits = cpu_traits(inventory);
  return {seen};
}

Remedy remedy(const ObservationGroup&, const Expectation&) {
  auto remedy = firmware(
      "Turn sub-NUMA clustering on in the firmware setup (Dell: Processor Settings, "
      "Sub NUMA Cluster; HPE: Sub-NUMA Clustering; Lenovo: SNC). Software must then be "
      "placed by node: without placement it can lose. Where the firmware is UEFI, the command "
      "restarts the host into its setup.");
  remedy.command = "systemctl reboot --firmware-setup";
  return remedy;
}

}  // namespace

extern const Knob kNumaClustering;
const Knob kNumaClustering{
    .id = "numa.clustering",
    .title = "Sub-NUMA clustering",
    .doc =
        R"(Whether the firmware splits each package into several nodes. Values: `none`, `snc` (Intel), `cod`
(older Intel), `nps` (AMD), `l3_as_numa` (AMD), `interleaved`, `asymmetric`, `unknown`. What looks
the same from Linux is named beside it; in a virtual machine it is the hypervisor's invention.

By hand: `lscpu | grep -i numa`)",
    .why =
        "With clusters each drive, its queues and its memory can stay in a part of the package. "
        "The published Dell R770 tests: SNC alone gave 1.9 %, with linear CPU numbering 60.9 % for "
        "tools that pin by number ranges.",
    .words = {"none", "snc", "cod", "nps", "l3_as_numa", "interleaved", "asymmetric", "unknown"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
