#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  const auto& all = inventory.kernel.vulnerabilities;
  if (all.empty()) {
    return nothing(inventory, "kernel.vulnerabilities", "the kernel reports no vulnerabilities");
  }
  std::vector<Evidence> evidence;
  std::string open;
  for (const auto& [name, state] : all) {
    if (!state.starts_with("Vulnerable")) continue;
    evidence.push_back({"sys/devices/system/cpu/vulnerabilities/" + name, state});
    open += (open.empty() ? "" : ", ") + name;
  }
  const bool off = has_word(inventory.host.cmdline, "mitigations=off");
  if (evidence.empty()) {
    const auto& [name, state] = *all.begin();
    evidence.push_back({"sys/devices/system/cpu/vulnerabilities/" + name, state});
  }
  auto seen = observed("host", std::string(off ? "off" : open.empty() ? "on" : "partly"), evidence);
  if (!open.empty()) seen.detail = "vulnerable: " + open;
  return {seen};
}

Remedy remedy(const ObservationGroup&, const Expectation&) {
  return no_remedy("Nothing is advised.");
}

}  // namespace

extern const Knob kKernelMitigations;
const Knob kKernelMitigations{
    .id = "kernel.mitigations",
    .title = "CPU vulnerability mitigations",
    .doc =
        R"(What the kernel does about CPU vulnerabilities (`sys/devices/system/cpu/vulnerabilities/*`). Values:
`on`; `off` (mitigations=off); `partly` (something is said to be vulnerable).

By hand: `grep . /sys/devices/system/cpu/vulnerabilities/*`)",
    .why =
        "Some mitigations cost at each system call, so that hosts with different ones do not "
        "compare. Reported only; turning them off is never advised.",
    .words = {"on", "off", "partly"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
