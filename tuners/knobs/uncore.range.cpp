#include <algorithm>

#include "tuners/observe.hpp"

namespace lk {

namespace {

Observation look(const Inventory& inventory, const UncoreDomain& domain) {
  const std::string target = "host";  // domains have no target of their own, but a name
  const std::string base =
      "sys/devices/system/cpu/intel_uncore_frequency/" + domain.directory + "/";
  if (!domain.min_khz) return missing(inventory, target, "uncore[].min_khz", domain.directory);
  if (!domain.max_khz) return missing(inventory, target, "uncore[].max_khz", domain.directory);
  auto seen = observed(target, std::string(*domain.min_khz == *domain.max_khz ? "fixed" : "scales"),
                       {{base + "min_freq_khz", std::to_string(*domain.min_khz)},
                        {base + "max_freq_khz", std::to_string(*domain.max_khz)}});
  seen.detail = std::to_string(*domain.min_khz / 1000) + " to " +
                std::to_string(*domain.max_khz / 1000) + " MHz";
  return seen;
}

std::vector<Observation> observe(const Inventory& inventory) {
  if (is_virtual(inventory)) {
    return {not_applicable("host", "a virtual machine has no uncore control")};
  }
  if (inventory.cpu.vendor && *inventory.cpu.vendor != "GenuineIntel") {
    return {not_applicable("host", "only Intel CPUs have this control")};
  }
  if (!inventory.uncore) return {missing(inventory, "host", "uncore")};
  const bool clusters =
      std::any_of(inventory.uncore->begin(), inventory.uncore->end(),
                  [](const UncoreDomain& each) { return each.directory.starts_with("uncore"); });
  std::vector<Observation> all;
  for (const auto& domain : *inventory.uncore) {
    // Beside clusters the package's own files give the least and the most of all of them.
    if (clusters && !domain.directory.starts_with("uncore")) continue;
    all.push_back(look(inventory, domain));
    all.back().name = domain.id;
    all.back().traits = cpu_traits(inventory);
  }
  if (!all.empty()) return all;
  return nothing(inventory, "uncore", "no uncore frequency driver is loaded");
}

Remedy remedy(const ObservationGroup& group, const Expectation&) {
  const auto& seen = *group.front();
  return runtime(
      "As root, raise the minimum of each domain to its own maximum (the command does the first). "
      "It takes power from the cores, which may then turbo less. Do not copy a frequency from "
      "another CPU model.",
      "cat /" + seen.evidence.back().path + " | tee /" + seen.evidence.front().path);
}

}  // namespace

extern const Knob kUncoreRange;
const Knob kUncoreRange{
    .id = "uncore.range",
    .title = "Uncore frequency range",
    .doc = R"(Whether the mesh and memory side of an Intel CPU runs at a fixed frequency
(`sys/devices/system/cpu/intel_uncore_frequency/*/min_freq_khz` and `max_freq_khz`). Values: `fixed`
(minimum and maximum are the same), `scales`. Where the kernel shows clusters (`uncoreNN`, Xeon 6),
each is judged, and the `package_*` directories above them are not: writing those latches limits
that later writes to a cluster cannot leave. No number is ever proposed: what is right for one
model is wrong for the next.

By hand: `grep . /sys/devices/system/cpu/intel_uncore_frequency/*/*_freq_khz`)",
    .why =
        "An uncore that clocks down on light load adds to each memory access and each device "
        "write. The published Dell R770 profile pins it, among five changes made at once, so "
        "that no gain can be given for it alone.",
    .risk = Risk::disruptive,
    .power_cost = PowerCost::high,
    .words = {"fixed", "scales"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
