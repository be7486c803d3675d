#include "base/text.hpp"
#include "tuners/observe.hpp"

namespace lk {

namespace {

bool names_managed_irq(const std::string& cmdline) {
  for (const auto word : words(cmdline)) {
    if (!word.starts_with("isolcpus=")) continue;
    for (const auto flag : split(word.substr(word.find('=') + 1), ',')) {
      if (flag == "managed_irq") return true;
    }
  }
  return false;
}

std::vector<Observation> observe(const Inventory& inventory) {
  const auto& isolated = inventory.cpu.isolated;
  if (!isolated) return {missing(inventory, "host", "cpu.isolated")};
  Evidence evidence{"sys/devices/system/cpu/isolated", isolated->to_list()};
  if (isolated->empty()) return {observed("host", "none", {evidence})};
  if (!inventory.host.cmdline) return {missing(inventory, "host", "host.cmdline")};
  const bool kept = names_managed_irq(*inventory.host.cmdline);
  auto seen = observed("host", std::string(kept ? "kept_out" : "not_kept_out"),
                       {evidence, {"proc/cmdline", *inventory.host.cmdline}});
  seen.detail = "isolated: " + isolated->to_list();
  return {seen};
}

Remedy remedy(const ObservationGroup&, const Expectation&) {
  return boot(
      "Boot with isolcpus=managed_irq,domain,<cpus> to keep managed interrupts off the "
      "isolated CPUs as far as a queue has other CPUs.");
}

}  // namespace

extern const Knob kIrqIsolated;
const Knob kIrqIsolated{
    .id = "irq.isolated",
    .title = "Managed interrupts on isolated CPUs",
    .doc = R"(Whether isolated CPUs are kept free of managed interrupts. Values: `none` (no CPU is
isolated); `kept_out` (`isolcpus=managed_irq,...`); `not_kept_out`.

By hand: `cat /sys/devices/system/cpu/isolated /proc/cmdline`)",
    .why =
        "isolcpus= alone does not keep NVMe completions off the isolated CPUs: their vectors are "
        "managed and go wherever their queue has a CPU.",
    .words = {"none", "kept_out", "not_kept_out"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
