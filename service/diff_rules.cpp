#include <array>
#include <utility>

#include "service/diff.hpp"

namespace lk {

namespace {

using S = Subject;
struct Rule {
  std::string_view field;  // this field and what is inside it
  std::optional<Subject> subject;
  double tolerance = 0;  // numbers that differ by less than this part are equal
};

// The longest that fits wins.
constexpr std::array kRules{
    Rule{"generation", {}}, Rule{"boot_id", {}}, Rule{"collected_at", {}}, Rule{"live", {}},
    Rule{"labels", S::setting}, Rule{"probes", {}}, Rule{"probes[].status", S::health},
    Rule{"host", S::machine}, Rule{"host.hostname", S::machine}, Rule{"host.kernel", S::kernel},
    Rule{"host.cmdline", S::kernel}, Rule{"host.lockdown", S::kernel},
    Rule{"host.tainted", {}},  // one unsigned module loaded later changes it
    Rule{"host.bios_version", S::firmware}, Rule{"host.bios_date", S::firmware},
    Rule{"cpu", S::cpu}, Rule{"cpu.allowed", {}},  // of the process that looked
    Rule{"cpu.threads", {}},                       // told by cpu.online
    Rule{"cpu.smt", S::setting}, Rule{"cpu.vendor", S::machine}, Rule{"cpu.model", S::machine},
    Rule{"cpu.family", S::machine}, Rule{"cpu.model_number", S::machine},
    Rule{"cpu.package_list", {}}, Rule{"cpu.core_list", {}}, Rule{"cpu.l3", {}},
    Rule{"numa", S::node},
    // The kernel keeps some for itself, a little more or less with every version.
    Rule{"numa.nodes[].memory_bytes", S::machine, 0.02}, Rule{"numa.nodes[].hugepages", S::setting},
    Rule{"numa.clustering.evidence", {}}, Rule{"numa.warnings", S::firmware},
    Rule{"nvme.controllers", S::drive},
    Rule{"nvme.controllers[].name", {}},  // nvme0 may be nvme1 after any boot
    Rule{"nvme.controllers[].id", {}}, Rule{"nvme.controllers[].controller_id", {}},
    Rule{"nvme.controllers[].address", {}}, Rule{"nvme.controllers[].state", S::health},
    Rule{"nvme.controllers[].temperature_c", {}}, Rule{"nvme.controllers[].pci_address", S::slot},
    Rule{"nvme.controllers[].slot", S::slot},
    Rule{"nvme.controllers[].path", {}},  // told by pci_address
    Rule{"nvme.controllers[].path[].link", S::link},
    Rule{"nvme.controllers[].path[].aspm", S::setting},
    Rule{"nvme.controllers[].path[].capped_by_firmware", S::link},
    Rule{"nvme.controllers[].path[].aspm_control", S::setting},
    Rule{"nvme.controllers[].path[].max_payload_bytes", S::setting},
    Rule{"nvme.controllers[].path[].max_read_request_bytes", S::setting},
    Rule{"nvme.controllers[].path[].runtime_pm", S::setting},
    Rule{"nvme.controllers[].numa_node", S::node},
    Rule{"nvme.controllers[].effective_node", S::node}, Rule{"nvme.controllers[].node_source", {}},
    Rule{"nvme.controllers[].node_confidence", {}}, Rule{"nvme.controllers[].local_cpus", {}},
    Rule{"nvme.controllers[].link", S::link}, Rule{"nvme.controllers[].aspm", S::setting},
    Rule{"nvme.controllers[].aspm.source", {}}, Rule{"nvme.controllers[].path[].aspm.source", {}},
    Rule{"nvme.controllers[].apst", S::setting},
    Rule{"nvme.controllers[].queues", {}},  // interrupts move; their number is queue_count
    Rule{"nvme.controllers[].role", S::use}, Rule{"nvme.controllers[].owners", S::use},
    Rule{"nvme.namespaces", S::drive}, Rule{"nvme.namespaces[].name", {}},
    Rule{"nvme.namespaces[].paths", {}}, Rule{"nvme.namespaces[].queue", S::setting},
    Rule{"nvme.namespaces[].queue.device", {}}, Rule{"nvme.namespaces[].in_use", {}},
    Rule{"block", S::drive}, Rule{"block[].name", {}}, Rule{"block[].device_number", {}},
    Rule{"block[].queue", S::setting}, Rule{"block[].queue.device", {}}, Rule{"block[].owners", {}},
    Rule{"block[].in_use", {}}, Rule{"pci", S::setting}, Rule{"cpufreq", S::setting},
    Rule{"cpufreq.policies[].cpus", {}},  // told by cpu.online
    Rule{"cpuidle", S::setting}, Rule{"cpuidle.groups[].cpus", {}}, Rule{"cpuidle.holders", {}},
    Rule{"uncore", S::setting}, Rule{"irqs", {}}, Rule{"kernel", S::setting},
    Rule{"kernel.vulnerabilities", S::kernel}, Rule{"tuners", S::use},
    Rule{"tuners[].evidence", {}}, Rule{"workloads", {}},
    Rule{"file_texts", {}},  // told by the values
};

// Alternatives: the first that an element has.
constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kKeys{{
    {"probes", "name"},
    {"numa.nodes", "id"},
    {"numa.nodes[].hugepages", "page_bytes"},
    {"nvme.controllers", "serial|id"},
    {"nvme.controllers[].path", "address"},
    {"nvme.namespaces", "wwid|name"},
    {"block", "wwid|serial|name"},
    {"cpufreq.policies", "id"},
    {"cpufreq.epb", "value"},
    {"cpuidle.groups[].states", "name"},
    {"uncore", "id"},
    {"kernel.iommu", "type"},
    {"tuners", "name"},
}};

bool covers(std::string_view rule, std::string_view field) {
  if (!field.starts_with(rule)) return false;
  if (field.size() == rule.size()) return true;
  return field[rule.size()] == '.' || field[rule.size()] == '[';
}

}  // namespace

DiffRule diff_rule(std::string_view field) {
  const Rule* best = nullptr;
  for (const auto& rule : kRules) {
    if (covers(rule.field, field) && (best == nullptr || rule.field.size() > best->field.size())) {
      best = &rule;
    }
  }
  // What nobody has thought of yet is shown rather than hidden.
  if (best == nullptr) return {S::setting, 0};
  return {best->subject, best->tolerance};
}

std::string_view diff_keys(std::string_view field) {
  for (const auto& [list, key] : kKeys) {
    if (list == field) return key;
  }
  return {};
}

}  // namespace lk
