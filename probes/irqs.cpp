#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "base/text.hpp"
#include "probes/interrupts.hpp"
#include "probes/probe.hpp"

namespace lk {

namespace {

constexpr const char* kProc = "proc/irq/";
constexpr const char* kSys = "sys/kernel/irq/";
constexpr mode_t kAnyWrite = S_IWUSR | S_IWGRP | S_IWOTH;

std::set<std::int64_t> numbers_in(ProbeContext& context, const std::string& dir) {
  std::set<std::int64_t> numbers;
  for (const auto& name : context.list("irqs", dir)) {
    const auto number = parse_int(name);
    if (number && *number >= 0) numbers.insert(*number);
  }
  return numbers;
}

struct Owner {
  std::string address;
  std::int64_t vector = 0;
  bool shared = false;
};

// MSI vectors by their folder, pin interrupts by `irq` where a function has no MSI vectors.
std::map<std::int64_t, Owner> pci_owners(ProbeContext& context,
                                         const std::map<std::int64_t, InterruptLine>& lines) {
  std::map<std::int64_t, Owner> owners;
  const std::string base = "sys/bus/pci/devices";
  const auto addresses = context.list("irqs[].pci_address", base);
  // What the interrupt's own line states counts only for a function that exists; a capture may
  // hold no PCI functions at all.
  for (const auto& [irq, line] : lines) {
    const auto stated = msi_vector(line);
    if (!stated) continue;
    const bool exists = addresses.empty() ||
                        std::binary_search(addresses.begin(), addresses.end(), stated->address);
    if (!exists) continue;
    owners[irq] = Owner{stated->address, stated->vector, false};
  }
  for (const auto& address : addresses) {
    const auto dir = base + '/' + address;
    const auto vectors = numbers_in(context, dir + "/msi_irqs");
    std::int64_t vector = 0;
    for (const auto irq : vectors) owners.try_emplace(irq, Owner{address, vector++, false});
    if (!vectors.empty()) continue;
    const auto text = context.optional_text("irqs[].pci_address", dir + "/irq");
    const auto pin = text ? parse_int(*text) : Result<std::int64_t>(0);
    if (!pin || *pin <= 0) continue;
    const auto [known, is_new] = owners.try_emplace(*pin, Owner{address, 0, false});
    known->second.shared |= !is_new && known->second.address != address;
  }
  return owners;
}

// The list file, or the mask of kernels before 2.6.37.
std::optional<CpuSet> affinity(ProbeContext& context, const char* field, const std::string& dir,
                               const char* name, mode_t& mode) {
  const std::string path = dir + name;
  const auto list = context.root.read(path + "_list", Root::kAttributeLimit, &mode);
  if (list) {
    auto set = CpuSet::parse_list(*list);
    if (set && list->find_first_not_of('\0') != std::string::npos) return *std::move(set);
    context.problem(field, Error{"not a list of CPUs:", path + "_list", 0});
    return std::nullopt;
  }
  if (list.error().err == ENOENT) {
    const auto mask = context.root.read(path, Root::kAttributeLimit, &mode);
    auto set = mask ? CpuSet::parse_mask(*mask) : Result<CpuSet>(mask.error());
    if (set) return *std::move(set);
    if (mask) context.problem(field, Error{set.error().what + ":", path, 0});
    if (mask) return std::nullopt;
  }
  context.problem(field, list.error());
  return std::nullopt;
}

// "nvme0q3" -> 3: queue 0 is the administrative one.
std::optional<std::int64_t> nvme_queue(const std::vector<std::string>& actions) {
  for (const auto& action : actions) {
    if (!action.starts_with("nvme")) continue;
    const auto q = action.rfind('q');
    const auto device =
        parse_int(std::string_view(action).substr(4, q == std::string::npos ? 0 : q - 4));
    const auto queue =
        q == std::string::npos ? device : parse_int(std::string_view(action).substr(q + 1));
    if (device && queue) return *queue;
  }
  return std::nullopt;
}

struct Sources {
  std::map<std::int64_t, InterruptLine> lines;  // proc/interrupts
  std::optional<Error> no_lines;
  std::set<std::int64_t> in_proc;
  std::set<std::int64_t> in_sys;
  std::map<std::int64_t, Owner> owners;
  std::vector<mode_t> modes;  // of smp_affinity_list, in the order of inventory.irqs; 0 unknown
};

// The line of proc/interrupts first: it is read already, and a host may have 10,000 interrupts.
void name_irq(ProbeContext& context, const Sources& sources, Irq& irq) {
  const auto line = sources.lines.find(irq.irq);
  if (line != sources.lines.end() && !line->second.chip.empty()) {
    irq.chip = line->second.chip;
    irq.actions = line->second.actions;
  } else if (sources.in_sys.contains(irq.irq)) {
    const auto dir = kSys + std::to_string(irq.irq) + '/';
    irq.chip = context.optional_text("irqs[].chip", dir + "chip_name");
    const auto actions = context.optional_text("irqs[].actions", dir + "actions").value_or("");
    for (const auto action : split(actions, ',')) {
      if (!trim(action).empty()) irq.actions.emplace_back(trim(action));
    }
  }
  if (irq.chip && irq.chip->empty()) irq.chip.reset();
  if (!irq.chip) {
    context.missing("irqs[].chip", Cause::absent,
                    "neither proc/interrupts nor sys/kernel/irq names the chip");
  }
}

void place_irq(ProbeContext& context, Sources& sources, Irq& irq) {
  mode_t mode = 0;
  if (sources.in_proc.contains(irq.irq)) {
    const auto dir = kProc + std::to_string(irq.irq) + '/';
    mode_t unused = 0;
    irq.affinity = affinity(context, "irqs[].affinity", dir, "smp_affinity", mode);
    irq.effective_cpus =
        affinity(context, "irqs[].effective_cpus", dir, "effective_affinity", unused);
    irq.node = context.integer("irqs[].node", dir + "node");
  } else {
    for (const auto* field : {"irqs[].affinity", "irqs[].effective_cpus", "irqs[].node"}) {
      context.missing(field, Cause::absent, "proc/irq has no folder for the interrupt");
    }
  }
  sources.modes.push_back(mode);

  const auto owner = sources.owners.find(irq.irq);
  if (owner != sources.owners.end() && !owner->second.shared) {
    irq.pci_address = owner->second.address;
    irq.vector = owner->second.vector;
    return;
  }
  const bool shared = owner != sources.owners.end();
  for (const auto* field : {"irqs[].pci_address", "irqs[].vector"}) {
    context.missing(field, Cause::not_applicable,
                    shared ? "several PCI functions share the interrupt, or none is known"
                           : "no PCI function is known to raise the interrupt");
  }
}

// proc/interrupts has a line for every interrupt that has a handler or was delivered to an online
// CPU. Counts of offline CPUs are not in it.
void count_irq(ProbeContext& context, const Sources& sources, Irq& irq) {
  if (sources.no_lines) {
    context.problem("irqs[].fired", *sources.no_lines);
    return;
  }
  const auto line = sources.lines.find(irq.irq);
  const bool fired = line != sources.lines.end() && line->second.fired;
  const auto& offline = context.inventory.cpu.offline;
  if (fired || !offline || offline->empty()) {
    irq.fired = fired;
  } else {
    context.missing("irqs[].fired", Cause::absent, "only CPUs that are offline may have taken it");
  }
}

// Newer kernels make the file read-only where the affinity is not the user's (kernel.md 7.2). If
// all files of a host have the same mode, it is an older kernel or a capture that lost the modes;
// then only NVMe's names tell: all its I/O queues are managed, its queue 0 is not.
void judge_managed(ProbeContext& context, const std::vector<mode_t>& modes) {
  auto& irqs = context.inventory.irqs;
  bool writable = false;
  bool read_only = false;
  for (const auto mode : modes) {
    writable |= mode != 0 && (mode & kAnyWrite) != 0;
    read_only |= mode != 0 && (mode & kAnyWrite) == 0;
  }
  std::int64_t untold = 0;
  for (std::size_t i = 0; i < irqs.size(); ++i) {
    if (writable && read_only && modes[i] != 0) {
      irqs[i].managed = (modes[i] & kAnyWrite) == 0;
    } else if (const auto queue = nvme_queue(irqs[i].actions)) {
      irqs[i].managed = *queue >= 1;
    } else {
      ++untold;
    }
  }
  if (untold > 0) {
    context.missing("irqs[].managed", Cause::absent,
                    "this kernel does not tell by the mode of smp_affinity_list, and it is no NVMe "
                    "interrupt",
                    "proc/irq", untold);
  }
}

Sources read_sources(ProbeContext& context) {
  Sources sources;
  InterruptsParser parser;
  const auto table = context.root.read_pieces("proc/interrupts", Root::kTableLimit,
                                              [&](std::string_view piece) { parser.feed(piece); });
  if (table) {
    for (auto& line : parser.finish()) sources.lines[line.irq] = std::move(line);
  } else {
    sources.no_lines = table.error();
  }
  sources.in_proc = numbers_in(context, "proc/irq");
  sources.in_sys = numbers_in(context, "sys/kernel/irq");
  sources.owners = pci_owners(context, sources.lines);
  return sources;
}

void run(ProbeContext& context) {
  auto sources = read_sources(context);
  std::set<std::int64_t> all = sources.in_proc;
  for (const auto& [number, line] : sources.lines) all.insert(number);
  auto& irqs = context.inventory.irqs;
  for (const auto number : all) {
    Irq irq;
    irq.irq = number;
    name_irq(context, sources, irq);
    place_irq(context, sources, irq);
    count_irq(context, sources, irq);
    irqs.push_back(std::move(irq));
  }
  judge_managed(context, sources.modes);
  if (irqs.empty() && sources.no_lines) context.problem("irqs", *sources.no_lines);
}

}  // namespace

extern const Probe kIrqs{"irqs", "proc/irq, sys/kernel/irq, proc/interrupts, msi_irqs", run,
                         [](const Inventory& inventory) { return !inventory.irqs.empty(); }};

}  // namespace lk
