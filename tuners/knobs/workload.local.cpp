#include <algorithm>

#include "tuners/observe.hpp"

namespace lk {

namespace {

Observation judge(const std::string& target, const NvmeController& drive,
                  const std::vector<Workload>& workloads) {
  bool used = false;
  std::vector<Evidence> evidence;
  std::string away;
  for (const auto& workload : workloads) {
    if (workload.drive != drive.id || !workload.cpus) continue;
    used = true;
    evidence.push_back({workload.name, "CPUs " + workload.cpus->to_list()});
    if (!workload.cpus->is_subset_of(*drive.local_cpus)) {
      away += (away.empty() ? "" : ", ") + workload.name;
    }
  }
  if (!used) return not_applicable(target, "no process uses this drive");
  auto seen = observed(target, std::string(away.empty() ? "local" : "remote"), evidence);
  if (!away.empty())
    seen.detail = away + " may run elsewhere than CPUs " + drive.local_cpus->to_list();
  return seen;
}

// Nobody was seen: either nobody is there, or not all places could be looked at.
Observation without_users(const Inventory& inventory, const std::string& target,
                          const NvmeController& drive) {
  for (const auto& space : inventory.nvme.namespaces) {
    const bool ours = std::any_of(space.paths.begin(), space.paths.end(), [&](const auto& path) {
      return drive.name && path.controller == *drive.name;
    });
    if (!ours || space.in_use.verdict != InUseVerdict::unknown) continue;
    std::string why;
    for (const auto& each : space.in_use.reasons) why += (why.empty() ? "" : "; ") + each;
    return unknown(target, "whether something uses this drive is not known: " + why);
  }
  return not_applicable(target, "no user of this drive was seen");
}

Observation look(const Inventory& inventory, const std::string& target,
                 const NvmeController& drive) {
  if (drive.owners.empty()) return without_users(inventory, target, drive);
  if (inventory.numa.nodes.size() == 1) {
    return not_applicable(target, "the host has one node: everything is local");
  }
  if (!inventory.workloads) return missing(inventory, target, "workloads");
  if (!drive.local_cpus) {
    return missing(inventory, target, "nvme.controllers[].local_cpus", hint_of(drive));
  }
  return judge(target, drive, *inventory.workloads);
}

std::vector<Observation> observe(const Inventory& inventory) {
  return observe_drives(inventory, look);
}

Remedy remedy(const ObservationGroup& group, const Expectation&) {
  const auto& unit = group.front()->evidence.front().path;
  return runtime("Let the service run on the CPUs of the drive's node, and take its memory there.",
                 "systemctl edit " + unit + "  # [Service] CPUAffinity=, NUMAPolicy=, NUMAMask=");
}

}  // namespace

extern const Knob kWorkloadLocal;
const Knob kWorkloadLocal{
    .id = "workload.local",
    .title = "Users of the drive on its node",
    .doc = R"(Whether the units and processes that use a drive may run on the drive's node only.
Values: `local`, `remote`. A drive that nothing uses has nothing to judge, and on a host with one
node everything is local.

By hand: `systemctl show -p AllowedCPUs -p CPUAffinity <unit>`)",
    .why =
        "A process on another node crosses the link between nodes for every submission and its "
        "data. The published Dell R770 tests gained 2 % more from pinning alone, after all else "
        "was set; Rackspace measured a run-to-run deviation of 0.02 % bound against 1.4 to "
        "1.8 % unbound.",
    .scope = Scope::nvme,
    .words = {"local", "remote"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
