#include <algorithm>

#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  std::map<std::int64_t, std::int64_t> drives;
  std::map<std::int64_t, std::int64_t> package_of;
  for (const auto& node : inventory.numa.nodes) {
    if (node.packages.size() != 1) continue;
    package_of[node.id] = node.packages.front();
    drives[node.packages.front()] = 0;
  }
  if (drives.size() < 2) return {not_applicable("host", "all nodes are in one package")};
  std::int64_t counted = 0;
  std::vector<Evidence> evidence;
  for (const auto& drive : inventory.nvme.controllers) {
    if (!drive.effective_node || !package_of.contains(*drive.effective_node)) continue;
    ++drives[package_of[*drive.effective_node]];
    ++counted;
    evidence.push_back({"sys/bus/pci/devices/" + drive.id + "/numa_node",
                        std::to_string(drive.numa_node.value_or(*drive.effective_node))});
  }
  if (counted == 0) return {not_applicable("host", "no drive whose node is known")};
  std::int64_t least = counted;
  std::int64_t most = 0;
  std::string detail;
  for (const auto& [package, count] : drives) {
    least = std::min(least, count);
    most = std::max(most, count);
    detail += (detail.empty() ? "package " : ", package ") + std::to_string(package) + ": " +
              std::to_string(count);
  }
  auto seen = observed("host", std::string(most - least <= 1 ? "even" : "uneven"), evidence);
  seen.detail = detail;
  return {seen};
}

Remedy remedy(const ObservationGroup&, const Expectation&) {
  return no_remedy(
      "Move drives to slots of the package with fewer drives, if the load is spread "
      "over all of them.");
}

}  // namespace

extern const Knob kNvmeNodeBalance;
const Knob kNvmeNodeBalance{
    .id = "nvme.node_balance",
    .title = "Drives per package",
    .doc = R"(How the drives whose node is known are spread over the packages (not over clusters
inside a package). Values: `even` (they differ by one at most), `uneven`.

By hand: `lanekeeper inventory`)",
    .why =
        "With all drives on one package the other one reaches them through the link between the "
        "packages only.",
    .words = {"even", "uneven"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
