// NVMe controllers, from the nvme class and from PCI alone. kernel.md 2.1 to 2.5 and 2.8.

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "probes/link_verdict.hpp"
#include "probes/node_attribution.hpp"
#include "probes/node_override.hpp"
#include "probes/nvme_namespaces.hpp"
#include "probes/nvme_power.hpp"
#include "probes/nvme_queues.hpp"
#include "probes/nvme_slots.hpp"
#include "probes/pci_config.hpp"
#include "probes/pci_path.hpp"
#include "probes/probe.hpp"

namespace lk {

namespace {

constexpr const char* kDevices = "sys/bus/pci/devices/";
const std::string kField = "nvme.controllers[]";

// What was found, before it is read.
struct Found {
  NvmeController controller;
  std::string directory;               // "sys/class/nvme/nvme0"; empty if only seen on PCI
  std::vector<std::string> functions;  // the PCI functions above and its own, root first
  bool user_space = false;             // vfio or uio has it: its registers are not read
};

// Why a value is null.
struct Gap {
  Cause cause = Cause::absent;
  std::string why;
  std::string path;
};

// Books a Problem for every member of `part` that is null.
template <class T>
void book_nulls(ProbeContext& context, const std::string& prefix, const T& part, const Gap& gap,
                const std::set<std::string_view>& except = {}) {
  for_each_field<T>([&](const auto& each) {
    using Member = std::remove_cvref_t<decltype(part.*each.member)>;
    if constexpr (is_optional<Member>::value) {
      if (!(part.*each.member) && !except.contains(each.name)) {
        context.missing(prefix + "." + std::string(each.name), gap.cause, gap.why, gap.path);
      }
    }
  });
}

std::vector<std::string> functions_of(const Root& root, const std::string& path) {
  const auto real = root.real_path(path);
  return real ? pci_functions(*real) : std::vector<std::string>{};
}

Found from_class(ProbeContext& context, const std::string& name) {
  Found found;
  found.directory = "sys/class/nvme/" + name;
  const std::string base = found.directory + "/";
  NvmeController& out = found.controller;
  out.name = name;
  out.transport = context.word(kField + ".transport", base + "transport");
  out.state = context.word(kField + ".state", base + "state");
  out.model = context.word(kField + ".model", base + "model");
  out.serial = context.word(kField + ".serial", base + "serial");
  out.firmware = context.word(kField + ".firmware", base + "firmware_rev");
  out.subsystem = context.word(kField + ".subsystem", base + "subsysnqn");
  out.controller_id = context.integer(kField + ".controller_id", base + "cntlid");
  out.address = context.word(kField + ".address", base + "address");
  out.queue_count = context.integer(kField + ".queue_count", base + "queue_count");
  found.functions = functions_of(context.root, base + "device");
  if (found.functions.empty() && out.address && is_pci_address(*out.address)) {
    // A capture whose class directory is no link: the address still leads to the function.
    found.functions = functions_of(context.root, kDevices + *out.address);
    out.pci_address = out.address;
  }
  if (!found.functions.empty()) out.pci_address = std::string(base_name(found.functions.back()));
  if (out.transport && *out.transport != "pcie") {
    found.functions.clear();  // a network card above is not where the drive hangs
    out.pci_address.reset();
  }
  if (!out.transport && out.pci_address) out.transport = "pcie";
  return found;
}

std::vector<Found> from_pci(ProbeContext& context, const std::set<std::string>& known) {
  std::vector<Found> list;
  for (const auto& address : context.list("nvme.controllers", "sys/bus/pci/devices")) {
    const std::string device = kDevices + address;
    const auto text = context.optional_text("nvme.controllers", device + "/class");
    const auto code = text ? parse_hex(*text) : Result<std::uint64_t>(std::uint64_t{0});
    if (!code || *code >> 8U != 0x0108U || known.contains(address)) continue;
    Found found;
    found.controller.pci_address = address;
    found.controller.transport = "pcie";
    found.functions = functions_of(context.root, device);
    list.push_back(std::move(found));
  }
  return list;
}

void read_identity(ProbeContext& context, Found& found) {
  NvmeController& out = found.controller;
  if (!out.pci_address) {
    out.id = out.subsystem && out.controller_id
                 ? *out.subsystem + "/" + std::to_string(*out.controller_id)
                 : *out.name;
    const bool fabrics = out.transport && *out.transport != "pcie";
    for (const char* each : {"pci_address", "slot", "driver", "vendor_id", "device_id"}) {
      context.missing(
          kField + "." + each, fabrics ? Cause::not_applicable : Cause::absent,
          fabrics ? "a fabrics controller is no PCI function" : "its PCI function was not found",
          found.directory);
    }
    return;
  }
  out.id = *out.pci_address;
  const std::string device = kDevices + *out.pci_address;
  out.driver = driver_of(context.root, device);
  if (!out.driver && out.name)
    out.driver = "nvme";  // a capture without the link; the class proves it
  if (!out.driver) {
    context.missing(kField + ".driver", Cause::not_applicable, "no driver is bound", device);
  }
  out.vendor_id = context.word(kField + ".vendor_id", device + "/vendor");
  out.device_id = context.word(kField + ".device_id", device + "/device");
  found.user_space = is_user_space_driver(out.driver);
  if (out.name) return;
  const std::string why = out.driver == "nvme" ? "the nvme driver shows no controller of it"
                                               : "no nvme driver has the function";
  for (const char* each : {"name", "state", "model", "serial", "firmware", "subsystem",
                           "controller_id", "address", "apst", "queue_count"}) {
    context.missing(kField + "." + each, Cause::not_applicable, why, device);
  }
}

std::map<std::string, std::int64_t> node_overrides(ProbeContext& context,
                                                   const std::vector<Found>& all) {
  std::vector<NamedDrive> drives;
  drives.reserve(all.size());
  for (const auto& each : all) drives.push_back({&each.controller, each.directory});
  return resolve_node_overrides(context, drives);
}

void read_node(ProbeContext& context, Found& found,
               const std::map<std::string, std::int64_t>& overrides) {
  NvmeController& out = found.controller;
  NodeEvidence evidence;
  if (out.pci_address) {
    const std::string device = kDevices + *out.pci_address;
    const bool on_pci = context.root.exists(device + "/numa_node") || found.directory.empty();
    out.numa_node =
        context.integer(kField + ".numa_node", (on_pci ? device : found.directory) + "/numa_node");
  } else {
    out.numa_node = context.integer(kField + ".numa_node", found.directory + "/numa_node");
  }
  evidence.reported = out.numa_node;
  for (std::size_t i = 0; i + 1 < found.functions.size(); ++i) {
    const auto text =
        context.optional_text(kField + ".effective_node", found.functions[i] + "/numa_node");
    const auto node = text ? parse_int(*text) : Result<std::int64_t>(Error{});
    evidence.ports.push_back(node ? std::optional(*node) : std::nullopt);
  }
  if (const auto given = overrides.find(out.id); given != overrides.end()) {
    evidence.override_node = given->second;
  }
  evidence.kernel = context.inventory.host.kernel;
  const auto verdict = attribute_node(evidence, context.inventory.numa);
  out.effective_node = verdict.node;
  out.node_source = verdict.source;
  out.node_confidence = verdict.confidence;
  if (evidence.override_node && verdict.source != NodeSource::override_) {
    context.missing(kField + ".effective_node", Cause::malformed,
                    "the configuration names node " + std::to_string(*evidence.override_node) +
                        " for " + out.id + ", which is not online");
  }
  if (!verdict.node) {
    context.missing(kField + ".effective_node", Cause::absent, verdict.why);
    context.missing(kField + ".local_cpus", Cause::absent, "its node is not known");
    return;
  }
  for (const auto& node : context.inventory.numa.nodes) {
    if (node.id == *verdict.node) out.local_cpus = node.cpus;
  }
  if (!out.local_cpus) {
    context.missing(kField + ".local_cpus", Cause::absent, "the CPUs of its node are not known");
  }
}

// Why nothing was read of the registers of the drive, or of a port above that it sleeps with.
std::string sleeper_of(const Root& root, const Found& found) {
  if (found.user_space) return {};
  for (const auto& each : found.functions) {
    if (auto why = asleep(root, each); !why.empty()) return why;
  }
  return {};
}

// A link whose abilities are known but whose state is not is a fault to look into; where the kernel
// shows nothing of it (emulated functions, captures without the files) there is nothing to judge.
Gap unjudged_link(const Found& found, const std::string& device) {
  const DriveLink& link = found.controller.link;
  if (found.user_space || !found.controller.pci_address) {
    return {Cause::not_applicable, "the kernel shows no link of it", device};
  }
  if (link.max_speed_gts || link.max_width) {
    return {Cause::unreadable, "the link does not tell its speed or width now; see path[].link",
            device};
  }
  return {Cause::absent, "the kernel shows no link of it", device};
}

// Why the drive's own summary of its link has no value.
Gap link_gap(const Found& found, const std::string& device, const std::string& sleeper) {
  if (!found.controller.pci_address) {
    return {Cause::not_applicable, "a fabrics controller has no link of its own", device};
  }
  if (found.user_space) {
    return {Cause::not_applicable,
            "a user-space driver has the function; its registers are left alone", device};
  }
  if (!sleeper.empty()) return {Cause::unreadable, sleeper, device};
  return {Cause::absent, "not known of an end of a link on its path; see path[].link", device};
}

void read_links(ProbeContext& context, Found& found) {
  NvmeController& out = found.controller;
  const bool pcie = out.pci_address.has_value();
  if (pcie && context.enter("nvme:" + out.name.value_or(out.id), kField + ".path")) {
    out.path = read_pci_path(context, found.functions, kField, found.user_space);
  }
  out.link = judge_link(out.path);
  const std::string device = pcie ? kDevices + *out.pci_address : found.directory;
  const auto sleeper = sleeper_of(context.root, found);
  const Gap gap = link_gap(found, device, sleeper);
  book_nulls(context, kField + ".link", out.link, gap, {"degraded"});
  if (!out.link.degraded) {
    const Gap judged = sleeper.empty() ? unjudged_link(found, device) : gap;
    context.missing(kField + ".link.degraded", judged.cause, judged.why, judged.path);
  }
  if (!out.path.empty()) out.aspm = out.path.back().aspm;
  book_nulls(context, kField + ".aspm", out.aspm,
             pcie ? Gap{Cause::absent, "see path[].aspm", device} : gap);
}

void assign_owners(NvmeController& out, const std::vector<NvmeDisk>& disks, const OwnerMap& owners,
                   bool user_space) {
  if (user_space) {
    out.owners.push_back({OwnerKind::vfio, *out.driver});
    out.role = Role::data;  // the host has no block device of it to be mounted from
    return;
  }
  bool boot = false;
  for (const auto& disk : disks) {
    const auto use = owners.use_of(disk.head);
    boot |= use.boot;
    for (const auto& owner : use.owners) add_owner(out.owners, owner.kind, owner.name);
  }
  if (boot) {
    out.role = Role::boot;
  } else if (!disks.empty() && owners.complete()) {
    out.role = Role::data;
  }
}

bool before(const Found& a, const Found& b) {
  const auto& left = a.controller;
  const auto& right = b.controller;
  if (left.pci_address.has_value() != right.pci_address.has_value()) {
    return left.pci_address.has_value();
  }
  if (left.pci_address) return pci_address_less(*left.pci_address, *right.pci_address);
  return left.id < right.id;
}

std::vector<Found> find_controllers(ProbeContext& context) {
  std::vector<Found> all;
  std::set<std::string> known;
  for (const auto& name : context.list("nvme.controllers", "sys/class/nvme")) {
    if (!name.starts_with("nvme")) continue;
    all.push_back(from_class(context, name));
    if (const auto& address = all.back().controller.pci_address) known.insert(*address);
  }
  for (auto& found : from_pci(context, known)) all.push_back(std::move(found));
  for (auto& found : all) read_identity(context, found);
  std::sort(all.begin(), all.end(), before);
  return all;
}

// Without sysfs nothing tells whether there are drives; "none" would be a guess.
bool has_sysfs(ProbeContext& context) {
  const auto& root = context.root;
  if (root.exists("sys/devices") || root.exists("sys/class") || root.exists("sys/bus")) return true;
  for (const char* field : {"nvme.controllers", "nvme.namespaces"}) {
    context.missing(field, Cause::unreadable, "there is no sysfs to read it from", "sys");
  }
  return false;
}

void run(ProbeContext& context) {
  if (!has_sysfs(context)) return;
  auto all = find_controllers(context);
  const SlotMap slots(context);
  for (auto& found : all) {
    NvmeController& out = found.controller;
    if (out.pci_address) out.slot = slots.slot_of(context, *out.pci_address);
  }
  const auto overrides = node_overrides(context, all);
  const IrqIndex irqs(context.inventory.irqs);
  const OwnerMap owners(context.root, context.inventory.host.virtualization == "container");
  std::map<std::string, std::vector<NvmeDisk>> disks;
  for (auto& found : all) {
    NvmeController& out = found.controller;
    read_node(context, found, overrides);
    read_links(context, found);
    read_drive_power(context, found.directory, out);
    std::vector<NvmeDisk> own;
    if (!found.directory.empty()) own = disks_of(context.root, found.directory);
    out.queues = read_queues(context, out, own, irqs);
    assign_owners(out, own, owners, found.user_space);
    if (!own.empty()) disks.emplace(*out.name, std::move(own));
    context.inventory.nvme.controllers.push_back(std::move(out));
  }
  read_namespaces(context, disks, owners);
  context.enter("probe:nvme", "nvme");  // no device is in hand any more
}

bool available(const Inventory& inventory) {
  return !inventory.nvme.controllers.empty();
}

}  // namespace

extern const Probe kNvme{"nvme", "sys/class/nvme, sys/bus/pci/devices", run, available};

}  // namespace lk
