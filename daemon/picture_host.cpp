#include <algorithm>
#include <set>

#include "daemon/picture.hpp"
#include "daemon/units.hpp"

namespace lk {

namespace {

constexpr std::size_t kLabel = 10;

class Lines {
 public:
  Lines(const Inventory& inventory, const Terminal& terminal)
      : inventory_(inventory), terminal_(terminal) {}

  void line(const std::string& label, const std::string& text) {
    if (text.empty()) return;
    out_ += inked(terminal_, Ink::bold, label) +
            std::string(label.size() < kLabel ? kLabel - label.size() : 1, ' ') +
            wrap(visible(text), terminal_.width, kLabel) + '\n';
  }
  void heading(const std::string& text) {
    out_ += inked(terminal_, Ink::bold, wrap(visible(text), terminal_.width)) + '\n';
  }

  std::string or_unknown(const std::optional<std::string>& value, const std::string& field) const {
    return value ? *value : unknown(inventory_, field);
  }
  std::string or_unknown(const std::optional<CpuSet>& value, const std::string& field) const {
    if (!value) return unknown(inventory_, field);
    return value->empty() ? "none" : value->to_list();
  }

  std::string take() { return std::move(out_); }

 private:
  const Inventory& inventory_;
  const Terminal& terminal_;
  std::string out_;
};

std::string list_text(const std::vector<std::string>& parts, const std::string& between = ", ") {
  std::string out;
  for (const auto& part : parts) {
    if (!part.empty()) out += (out.empty() ? "" : between) + part;
  }
  return out;
}

std::string machine(const Host& host) {
  std::vector<std::string> parts;
  parts.push_back(list_text({host.vendor.value_or(""), host.product.value_or("")}, " "));
  if (host.bios_version) {
    parts.push_back("BIOS " + *host.bios_version +
                    (host.bios_date ? " of " + *host.bios_date : ""));
  }
  if (host.virtualization && *host.virtualization != "none") {
    parts.push_back(*host.virtualization == "container"
                        ? "in a container"
                        : "virtual machine (" + *host.virtualization + ")");
  }
  return list_text(parts);
}

// The kernel's words run together.
std::string smt_text(const std::string& control) {
  if (control == "notsupported") return "not supported";
  if (control == "notimplemented") return "not implemented";
  return control == "forceoff" ? "off for good" : control;
}

std::string processors(const Inventory& inventory) {
  const Cpu& cpu = inventory.cpu;
  const auto count = [&](const std::optional<std::int64_t>& value, const char* one,
                         const char* many, const char* field) {
    return value ? plural(*value, one, many) : std::string(many) + ' ' + unknown(inventory, field);
  };
  std::vector<std::string> parts = {cpu.model.value_or(""),
                                    count(cpu.packages, "package", "packages", "cpu.packages"),
                                    count(cpu.cores, "core", "cores", "cpu.cores"),
                                    count(cpu.threads, "thread", "threads", "cpu.threads")};
  if (cpu.smt) parts.push_back("SMT " + smt_text(*cpu.smt));
  if (cpu.enumeration != Enumeration::unknown) {
    parts.push_back("numbered " + std::string(name_of(cpu.enumeration)));
  }
  return list_text(parts);
}

std::string cpu_sets(const Lines& lines, const Cpu& cpu) {
  std::vector<std::string> parts = {"online " + lines.or_unknown(cpu.online, "cpu.online")};
  const auto other = [&](const char* label, const std::optional<CpuSet>& set) {
    if (set && !set->empty()) parts.push_back(label + set->to_list());
  };
  other("offline ", cpu.offline);
  other("isolated ", cpu.isolated);
  other("nohz_full ", cpu.nohz_full);
  if (cpu.allowed && cpu.online && !cpu.online->is_subset_of(*cpu.allowed)) {
    parts.push_back("this process may use " + cpu.allowed->to_list());
  }
  return list_text(parts, "; ");
}

std::string nodes(const Numa& numa) {
  std::string out = plural(static_cast<std::int64_t>(numa.nodes.size()), "node", "nodes");
  const auto& clustering = numa.clustering;
  out += clustering.kind == ClusteringKind::none
             ? ", no clustering"
             : ", clustering " + std::string(name_of(clustering.kind));
  if (clustering.nodes_per_package && clustering.kind != ClusteringKind::none) {
    out += " (" + plural(*clustering.nodes_per_package, "node", "nodes") + " per package)";
  }
  if (!clustering.ambiguous_with.empty()) {
    out += "; looks the same as " + list_text(clustering.ambiguous_with);
  }
  return out;
}

// "performance", or what several policies differ in: "performance, powersave".
std::string policies(const Cpufreq& cpufreq, std::optional<std::string> CpufreqPolicy::*member) {
  std::set<std::string> seen;
  for (const auto& policy : cpufreq.policies) {
    if (policy.*member) seen.insert(*(policy.*member));
  }
  return list_text({seen.begin(), seen.end()}, " and ");
}

std::string frequency(const Inventory& inventory) {
  const Cpufreq& cpufreq = inventory.cpufreq;
  if (cpufreq.policies.empty() && !cpufreq.driver) {
    return unknown(inventory, "cpufreq.driver");
  }
  std::vector<std::string> parts = {cpufreq.driver.value_or("driver unknown") +
                                    (cpufreq.mode ? " (" + *cpufreq.mode + ")" : "")};
  const auto governor = policies(cpufreq, &CpufreqPolicy::governor);
  parts.push_back("governor " + (governor.empty()
                                     ? unknown(inventory, "cpufreq.policies[].governor")
                                     : governor));
  if (const auto epp = policies(cpufreq, &CpufreqPolicy::epp); !epp.empty()) {
    parts.push_back("EPP " + epp);
  }
  if (cpufreq.turbo.enabled) parts.emplace_back(*cpufreq.turbo.enabled ? "turbo on" : "turbo off");
  return list_text(parts);
}

std::string idle(const Inventory& inventory) {
  const Cpuidle& cpuidle = inventory.cpuidle;
  std::vector<std::string> parts = {cpuidle.driver ? *cpuidle.driver
                                                   : unknown(inventory, "cpuidle.driver")};
  if (cpuidle.governor) parts.push_back("governor " + *cpuidle.governor);
  std::set<std::string> seen;
  for (const auto& group : cpuidle.groups) {
    for (const auto& state : group.states) {
      const auto name = state.name.value_or("state" + std::to_string(state.index));
      if (!seen.insert(name).second) continue;
      parts.push_back(name +
                      (state.latency_us ? " " + std::to_string(*state.latency_us) + " us" : "") +
                      (state.disabled == true ? " (off)" : ""));
    }
  }
  constexpr std::int64_t kNoLimit = 2000000000;
  if (cpuidle.latency_limit_us && *cpuidle.latency_limit_us != kNoLimit) {
    parts.push_back("latency limit " + std::to_string(*cpuidle.latency_limit_us) + " us" +
                    (cpuidle.holders.empty() ? "" : " held by " + list_text(cpuidle.holders)));
  }
  return list_text(parts);
}

std::string pcie(const Inventory& inventory) {
  const auto& aspm = inventory.pci.aspm;
  return "ASPM policy " + (aspm.policy ? *aspm.policy : unknown(inventory, "pci.aspm.policy")) +
         (aspm.os_control == false ? ", kept by the firmware or switched off" : "");
}

std::string kernel(const Lines& lines, const Inventory& inventory) {
  std::vector<std::string> parts = {
      lines.or_unknown(inventory.host.kernel, "host.kernel"),
      "clocksource " + lines.or_unknown(inventory.kernel.clocksource, "kernel.clocksource")};
  if (inventory.host.lockdown && *inventory.host.lockdown != "none") {
    parts.push_back("lockdown " + *inventory.host.lockdown);
  }
  if (inventory.host.tainted && *inventory.host.tainted != 0) {
    parts.push_back("tainted " + std::to_string(*inventory.host.tainted));
  }
  return list_text(parts);
}

}  // namespace

std::string picture_host(const Inventory& inventory, const Terminal& terminal) {
  Lines lines(inventory, terminal);
  const auto what = machine(inventory.host);
  lines.heading(lines.or_unknown(inventory.host.hostname, "host.hostname") +
                (what.empty() ? "" : ": " + what) + (inventory.live ? "" : " [captured tree]"));
  lines.line("kernel", kernel(lines, inventory));
  lines.line("processor", processors(inventory));
  lines.line("CPUs", cpu_sets(lines, inventory.cpu));
  lines.line("NUMA", nodes(inventory.numa));
  lines.line("frequency", frequency(inventory));
  lines.line("idle", idle(inventory));
  lines.line("PCIe", pcie(inventory));
  std::vector<std::string> active;
  for (const auto& tuner : inventory.tuners) {
    if (tuner.active == true) {
      active.push_back(tuner.name + (tuner.profile ? " (" + *tuner.profile + ")" : ""));
    }
  }
  lines.line("tuners", list_text(active));
  std::vector<std::string> labels;
  for (const auto& [name, value] : inventory.labels) labels.push_back(name + '=' + value);
  lines.line("labels", list_text(labels));
  return lines.take();
}

}  // namespace lk
