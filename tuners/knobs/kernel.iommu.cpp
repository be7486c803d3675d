#include "tuners/observe.hpp"

namespace lk {

namespace {

std::string word_of(const std::string& type) {
  if (type == "DMA") return "strict";
  if (type == "DMA-FQ") return "lazy";
  return type == "identity" ? type : "other";
}

std::vector<Observation> observe(const Inventory& inventory) {
  const auto& domains = inventory.kernel.iommu;
  if (domains.empty()) {
    const Problem* problem = find_problem(inventory, "kernel.iommu");
    if (problem != nullptr && problem->cause != Cause::absent &&
        problem->cause != Cause::not_applicable) {
      return {missing(inventory, "host", "kernel.iommu")};
    }
    return {observed("host", std::string("off"), {{"sys/kernel/iommu_groups", "empty"}})};
  }
  std::string value;
  Observation seen;
  for (const auto& each : domains) {
    const auto word = word_of(each.type);
    value = value.empty() || value == word ? word : "mixed";
    seen.evidence.push_back({"sys/kernel/iommu_groups/*/type",
                             each.type + " (" + std::to_string(each.groups) + " groups)"});
  }
  return {observed("host", value, std::move(seen.evidence))};
}

Remedy remedy(const ObservationGroup&, const Expectation&) {
  return boot(
      "iommu.strict=0 or iommu=pt on the kernel command line trade protection for speed; "
      "that is for the owner of the host to decide.");
}

}  // namespace

extern const Knob kKernelIommu;
const Knob kKernelIommu{
    .id = "kernel.iommu",
    .title = "IOMMU mode",
    .doc = R"(How device memory accesses are translated: the domain types of
`sys/kernel/iommu_groups/*/type`. Values: `off` (no IOMMU in use); `identity` (passed through);
`lazy` (DMA-FQ: unmapping is batched); `strict` (DMA: every unmapping flushes at once); `mixed`.

By hand: `cat /sys/kernel/iommu_groups/*/type | sort | uniq -c`)",
    .why =
        "Strict mode flushes the IOTLB for each finished request, which costs some per cent to "
        "much more of IOPS at small sizes; it is the price of protection from a device that writes "
        "late.",
    .words = {"off", "identity", "lazy", "strict", "mixed", "other"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
