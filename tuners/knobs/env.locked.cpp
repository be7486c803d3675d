#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  const auto& host = inventory.host;
  std::vector<Evidence> evidence;
  if (host.lockdown) evidence.push_back({"sys/kernel/security/lockdown", *host.lockdown});
  if (host.virtualization == "container") {
    evidence.push_back({"proc/1", "marked as a container's, by its environment or in run/"});
  }
  const bool locked = host.lockdown && *host.lockdown != "none";
  const bool container = host.virtualization == "container";
  if (!locked && !container) {
    if (!host.virtualization) return {unseen(inventory, "host", "host.virtualization")};
    const Problem* problem = find_problem(inventory, "host.lockdown");
    const bool none = problem != nullptr && problem->cause == Cause::not_applicable;
    if (!host.lockdown && !none) return {missing(inventory, "host", "host.lockdown")};
  }
  auto seen = observed("host",
                       std::string(container ? "container"
                                   : locked  ? "lockdown"
                                             : "none"),
                       std::move(evidence));
  if (locked) seen.detail = *host.lockdown;
  return {seen};
}

Remedy remedy(const ObservationGroup&, const Expectation&) {
  return no_remedy(
      "Run the audit on the host itself; lockdown belongs to secure boot and is not "
      "to be weakened.");
}

}  // namespace

extern const Knob kEnvLocked;
const Knob kEnvLocked{
    .id = "env.locked",
    .title = "What keeps settings from being changed",
    .doc =
        R"(Whether the kernel is locked down (`sys/kernel/security/lockdown`) or this is a container, where
/sys usually cannot be written. Values: `none`, `lockdown`, `container`.

By hand: `cat /sys/kernel/security/lockdown; systemd-detect-virt -c`)",
    .why =
        "Under lockdown and in containers some settings can be read and not changed; reading is "
        "not affected.",
    .words = {"none", "lockdown", "container"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
