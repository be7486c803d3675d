#include "tuners/observe.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "probes/pci_path.hpp"

namespace lk {

namespace {

bool leaves_open(Cause cause) {
  return cause != Cause::absent && cause != Cause::not_applicable;
}

std::string reason_of(const Problem& problem) {
  switch (problem.cause) {
    case Cause::absent:
      return problem.error == "ENOENT" && problem.path
                 ? "the host has no such file: " + *problem.path
                 : problem.message;
    case Cause::denied:
      return problem.message + "; run it as root";
    case Cause::not_yet:
      return "not read by this version" +
             (problem.message == "not yet" ? std::string(" yet") : ": " + problem.message);
    case Cause::hung:
      return "no answer in time: " + problem.message;
    default:
      return problem.message;
  }
}

}  // namespace

namespace {

// "cpufreq.policies[].governor", "cpufreq.policies[]", "cpufreq.policies", "cpufreq".
std::string_view part_above(std::string_view field) {
  if (field.ends_with("[]")) return field.substr(0, field.size() - 2);
  const auto dot = field.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : field.substr(0, dot);
}

const Problem* problem_of(const Inventory& inventory, std::string_view field,
                          std::string_view hint) {
  const Problem* best = nullptr;
  const auto rank = [&](const Problem& problem) {
    const bool hinted =
        !hint.empty() && problem.path && problem.path->find(hint) != std::string::npos;
    return (hinted ? 2 : 0) + (leaves_open(problem.cause) ? 1 : 0);
  };
  for (const auto& probe : inventory.probes) {
    for (const auto& problem : probe.problems) {
      if (problem.field != field) continue;
      if (best == nullptr || rank(problem) > rank(*best)) best = &problem;
    }
  }
  return best;
}

}  // namespace

const Problem* find_problem(const Inventory& inventory, std::string_view field,
                            std::string_view hint) {
  for (auto part = field; !part.empty(); part = part_above(part)) {
    if (const Problem* found = problem_of(inventory, part, hint)) return found;
  }
  return nullptr;
}

Observation not_applicable(const std::string& target, const std::string& reason) {
  Observation seen;
  seen.target = target;
  seen.no_value = Verdict::not_applicable;
  seen.reason = reason;
  return seen;
}

Observation unknown(const std::string& target, const std::string& reason) {
  auto seen = not_applicable(target, reason);
  seen.no_value = Verdict::unknown;
  return seen;
}

Observation missing(const Inventory& inventory, const std::string& target, std::string_view field,
                    std::string_view hint) {
  const Problem* problem = find_problem(inventory, field, hint);
  if (problem == nullptr) {
    return unknown(target, "the inventory has no " + std::string(field) + " and no reason why");
  }
  auto seen = leaves_open(problem->cause) ? unknown(target, reason_of(*problem))
                                          : not_applicable(target, reason_of(*problem));
  if (problem->path) seen.evidence = {{*problem->path, problem->error.value_or(problem->message)}};
  return seen;
}

Observation unseen(const Inventory& inventory, const std::string& target, std::string_view field) {
  auto seen = missing(inventory, target, field);
  seen.no_value = Verdict::unknown;
  return seen;
}

std::vector<Observation> nothing(const Inventory& inventory, std::string_view field,
                                 const std::string& reason) {
  const Problem* problem = find_problem(inventory, field);
  if (problem != nullptr && leaves_open(problem->cause)) {
    return {missing(inventory, "host", field)};
  }
  return {not_applicable("host", reason)};
}

Observation observed(const std::string& target, Value value, std::vector<Evidence> evidence) {
  Observation seen;
  seen.target = target;
  seen.value = std::move(value);
  seen.evidence = std::move(evidence);
  return seen;
}

Value on_off(bool on) {
  return Value{std::string(on ? "on" : "off")};
}

Value word_or_number(const std::string& text) {
  if (const auto number = parse_int(text)) return Value{*number};
  return Value{text};
}

bool is_virtual(const Inventory& inventory) {
  const auto& kind = inventory.host.virtualization;
  return kind && *kind != "none" && *kind != "container";
}

bool has_word(const std::optional<std::string>& text, std::string_view word) {
  if (!text) return false;
  const auto all = words(*text);
  return std::find(all.begin(), all.end(), word) != all.end();
}

std::string target_of(Scope scope, std::string_view id) {
  return std::string(name_of(scope)) + ":" + std::string(id);
}

std::string drive_name(const NvmeController& drive) {
  std::vector<std::string> parts;
  if (drive.serial && !drive.serial->empty()) parts.push_back(*drive.serial);
  if (drive.name && drive.pci_address) parts.push_back(*drive.pci_address);
  std::string text = drive.name.value_or(drive.id);
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? " (" : ", ") + parts[i];
  return parts.empty() ? text : text + ")";
}

TargetTraits drive_traits(const NvmeController& drive) {
  TargetTraits traits;
  traits.vendor = drive.vendor_id.value_or("");
  traits.model = drive.model.value_or("");
  traits.driver = drive.driver.value_or("");
  traits.transport = drive.transport.value_or("");
  traits.role = name_of(drive.role);
  for (const auto& owner : drive.owners) traits.owners.emplace_back(name_of(owner.kind));
  return traits;
}

TargetTraits cpu_traits(const Inventory& inventory) {
  TargetTraits traits;
  traits.vendor = inventory.cpu.vendor.value_or("");
  traits.model = inventory.cpu.model.value_or("");
  return traits;
}

bool is_foreign(const NvmeController& drive) {
  return is_user_space_driver(drive.driver);
}

CpuSet drive_local_cpus(const Inventory& inventory) {
  CpuSet cpus;
  for (const auto& drive : inventory.nvme.controllers) {
    if (drive.effective_node && drive.local_cpus) cpus |= *drive.local_cpus;
  }
  return cpus;
}

std::string hint_of(const NvmeController& drive) {
  return drive.name ? "/" + *drive.name + "/" : drive.pci_address.value_or(drive.id);
}

std::vector<Observation> observe_drives(const Inventory& inventory,
                                        Observation (*look)(const Inventory&,
                                                            const std::string& target,
                                                            const NvmeController&)) {
  std::vector<Observation> all;
  for (const auto& drive : inventory.nvme.controllers) {
    auto seen = look(inventory, target_of(Scope::nvme, drive.id), drive);
    seen.name = drive_name(drive);
    seen.traits = drive_traits(drive);
    all.push_back(std::move(seen));
  }
  if (!all.empty()) return all;
  return nothing(inventory, "nvme.controllers", "the host has no NVMe controller");
}

namespace {

QueueTarget namespace_target(const Inventory& inventory, const NvmeNamespace& space) {
  QueueTarget target{target_of(Scope::block, space.wwid.value_or(space.name)),
                     space.name,
                     "nvme.namespaces[]",
                     space.queue ? &*space.queue : nullptr,
                     {}};
  const auto& drives = inventory.nvme.controllers;
  for (const auto& path : space.paths) {
    const auto drive = std::find_if(drives.begin(), drives.end(),
                                    [&](const auto& each) { return each.name == path.controller; });
    if (drive == drives.end()) continue;
    target.traits = drive_traits(*drive);
    if (drive->serial) target.name = space.name + " (" + *drive->serial + ")";
    break;
  }
  return target;
}

QueueTarget disk_target(const BlockDevice& disk) {
  QueueTarget target{target_of(Scope::block, disk.wwid.value_or(disk.name)),
                     disk.name,
                     "block[]",
                     disk.queue ? &*disk.queue : nullptr,
                     {}};
  target.traits.vendor = disk.vendor.value_or("");
  target.traits.model = disk.model.value_or("");
  target.traits.driver = disk.driver.value_or("");
  target.traits.role = "unknown";
  for (const auto& owner : disk.owners) target.traits.owners.emplace_back(name_of(owner.kind));
  return target;
}

}  // namespace

std::vector<QueueTarget> queue_targets(const Inventory& inventory) {
  std::vector<QueueTarget> targets;
  for (const auto& space : inventory.nvme.namespaces) {
    targets.push_back(namespace_target(inventory, space));
  }
  for (const auto& disk : inventory.block) {
    if (disk.nvme_behind_hba == true) targets.push_back(disk_target(disk));
  }
  return targets;
}

std::vector<Observation> observe_queues(const Inventory& inventory, std::string_view attribute,
                                        const QueuePick& pick) {
  std::vector<Observation> all;
  for (const auto& target : queue_targets(inventory)) {
    Observation seen;
    if (target.queue == nullptr) {
      seen = missing(inventory, target.target, target.part + ".queue");
    } else if (const auto picked = pick(*target.queue)) {
      const auto path = "sys/block/" + target.queue->device + "/queue/" + std::string(attribute);
      seen = observed(target.target, picked->value, {{path, picked->raw}});
    } else {
      seen = missing(inventory, target.target, target.part + ".queue." + std::string(attribute),
                     "/" + target.queue->device + "/");
    }
    seen.name = target.name;
    seen.traits = target.traits;
    all.push_back(std::move(seen));
  }
  if (!all.empty()) return all;
  return nothing(inventory, "nvme.namespaces", "the host has no NVMe namespace");
}

QueuePick word(std::optional<std::string> BlockQueue::*member) {
  return [member](const BlockQueue& queue) -> std::optional<Picked> {
    if (!(queue.*member)) return std::nullopt;
    return Picked{Value{*(queue.*member)}, *(queue.*member)};
  };
}

QueuePick number(std::optional<std::int64_t> BlockQueue::*member) {
  return [member](const BlockQueue& queue) -> std::optional<Picked> {
    if (!(queue.*member)) return std::nullopt;
    return Picked{Value{*(queue.*member)}, std::to_string(*(queue.*member))};
  };
}

QueuePick flag(std::optional<std::int64_t> BlockQueue::*member) {
  return [member](const BlockQueue& queue) -> std::optional<Picked> {
    if (!(queue.*member)) return std::nullopt;
    return Picked{on_off(*(queue.*member) != 0), std::to_string(*(queue.*member))};
  };
}

std::vector<Observation> observe_sysctl(const Inventory& inventory, const std::string& name) {
  const auto& sysctls = inventory.kernel.sysctls;
  const auto found = sysctls.find(name);
  if (found == sysctls.end() || !found->second) {
    return {missing(inventory, "host", "kernel.sysctls." + name)};
  }
  std::string path = "proc/sys/" + name;
  std::replace(path.begin(), path.end(), '.', '/');
  return {observed("host", Value{*found->second}, {{path, std::to_string(*found->second)}})};
}

}  // namespace lk
