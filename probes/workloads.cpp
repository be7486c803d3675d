#include <algorithm>
#include <cerrno>

#include "base/text.hpp"
#include "probes/cgroup.hpp"
#include "probes/open_files.hpp"

namespace lk {

namespace {

constexpr std::size_t kMostThreads = 4096;  // of one process; a thread costs some 30 us

// The processes of one workload.
struct Group {
  Workload workload;
  ControlGroup cgroup;
  std::vector<std::string> pids;
  std::set<std::size_t> namespaces;  // those whose devices are open, as places in the inventory
  std::set<std::size_t> with_files;  // those on which files are open
};

struct Allowed {
  std::optional<CpuSet> cpus;
  std::optional<CpuSet> nodes;
};

std::optional<CpuSet> list_after(std::string_view status, std::string_view key) {
  for (const auto line : split(status, '\n')) {
    if (!line.starts_with(key)) continue;
    auto set = CpuSet::parse_list(line.substr(key.size()));
    return set ? std::optional(*std::move(set)) : std::nullopt;
  }
  return std::nullopt;
}

void add_set(std::optional<CpuSet>& to, const std::optional<CpuSet>& from, bool first) {
  if (first) {
    to = from;
  } else if (to && from) {
    *to |= *from;
  } else {
    to.reset();
  }
}

// What any thread may use; null if one could not be told. A thread that ended is none.
Result<Allowed> allowed_of(const Root& root, const std::vector<std::string>& pids) {
  Allowed allowed;
  bool first = true;
  std::size_t threads = 0;
  for (const auto& pid : pids) {
    const std::string base = "proc/" + pid + "/task";
    const auto tasks = root.list(base);
    if (!tasks && tasks.error().err == ENOENT) continue;
    if (!tasks) return tasks.error();
    threads += tasks->size();
    if (threads > kMostThreads) {
      return Error{"more than " + std::to_string(kMostThreads) + " threads to look at:", base, 0};
    }
    for (const auto& task : *tasks) {
      const auto path = base + '/' + task + "/status";
      const auto status = root.read(path);
      if (!status && (status.error().err == ENOENT || status.error().err == ESRCH)) continue;
      if (!status) return status.error();
      add_set(allowed.cpus, list_after(*status, "Cpus_allowed_list:"), first);
      add_set(allowed.nodes, list_after(*status, "Mems_allowed_list:"), first);
      first = false;
    }
  }
  if (first) return Error{"its processes ended meanwhile", {}, ESRCH};
  return allowed;
}

void read_allowed(ProbeContext& context, Group& group) {
  const auto allowed = allowed_of(context.root, group.pids);
  if (allowed) {
    group.workload.cpus = allowed->cpus;
    group.workload.nodes = allowed->nodes;
  }
  const Error untold =
      allowed ? Error{"a thread's status does not tell it", {}, 0} : allowed.error();
  if (!group.workload.cpus) context.problem("workloads[].cpus", untold);
  if (!group.workload.nodes) context.problem("workloads[].nodes", untold);
}

void read_memory(ProbeContext& context, Group& group) {
  const std::string field = "workloads[].memory_bytes";
  if (group.workload.kind != WorkloadKind::unit) {
    context.missing(field, Cause::not_applicable, "memory is counted by unit");
    return;
  }
  const auto bytes = memory_of(context.root, group.cgroup.unit_path);
  if (bytes) {
    group.workload.memory_bytes = *bytes;
  } else {
    context.problem(field, bytes.error());
  }
}

std::string comm_of(const Root& root, const std::string& pid) {
  const auto comm = root.read("proc/" + pid + "/comm");
  return comm ? std::string(trim(*comm)) : "?";
}

// All that is to be said of a process beside what it holds.
Group describe(ProbeContext& context, const std::string& pid) {
  Group group;
  const auto text = context.root.read("proc/" + pid + "/cgroup");
  const auto cgroup = text ? parse_cgroup(*text) : std::nullopt;
  auto& workload = group.workload;
  if (cgroup) {
    group.cgroup = *cgroup;
    workload.cgroup = cgroup->path;
  }
  if (cgroup && !cgroup->unit.empty() && !cgroup->session) {
    workload.kind = WorkloadKind::unit;
    workload.name = cgroup->unit;
  } else {
    workload.name = comm_of(context.root, pid);
    if (const auto number = parse_int(pid)) workload.pid = *number;
  }
  return group;
}

bool same_workload(const Workload& a, const Workload& b) {
  return a.drive == b.drive && a.kind == b.kind && a.name == b.name && a.pid == b.pid;
}

// Files that a session's programs have open come and go with every command typed.
bool counts(const Workload& workload, Via via) {
  return via != Via::file || workload.kind == WorkloadKind::unit;
}

std::vector<Group> group_by_drive(ProbeContext& context, const OpenFiles& files) {
  std::vector<Group> groups;
  for (const auto& holder : files.holders) {
    const auto process = describe(context, holder.pid);
    for (const auto& use : holder.uses) {
      if (!counts(process.workload, use.via)) continue;
      auto one = process;
      one.workload.drive = context.inventory.nvme.controllers[use.drive].id;
      auto known = std::find_if(groups.begin(), groups.end(), [&](const Group& each) {
        return same_workload(each.workload, one.workload);
      });
      if (known == groups.end()) known = groups.insert(groups.end(), std::move(one));
      auto& via = known->workload.via;
      if (std::find(via.begin(), via.end(), use.via) == via.end()) via.push_back(use.via);
      if (use.via == Via::device && use.ns) known->namespaces.insert(*use.ns);
      if (use.via == Via::file && use.ns) known->with_files.insert(*use.ns);
      auto& pids = known->pids;
      if (std::find(pids.begin(), pids.end(), holder.pid) == pids.end()) {
        pids.push_back(holder.pid);
      }
    }
  }
  std::sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
    return std::tie(a.workload.drive, a.workload.kind, a.workload.name, a.workload.pid) <
           std::tie(b.workload.drive, b.workload.kind, b.workload.name, b.workload.pid);
  });
  return groups;
}

std::string owner_name(const Workload& workload) {
  return workload.pid ? workload.name + " (pid " + std::to_string(*workload.pid) + ')'
                      : workload.name;
}

// Ceph's daemons hold their disks open whether LVM is below them or not.
OwnerKind owner_kind(const Workload& workload) {
  const bool osd =
      workload.name.starts_with("ceph-osd") ||  // ceph-osd@3, ceph-<fsid>@osd.3
      (workload.name.starts_with("ceph-") && workload.name.find("@osd.") != std::string::npos);
  return osd ? OwnerKind::ceph : OwnerKind::process;
}

void add_user(std::vector<Owner>& owners, InUse& in_use, const Owner& user) {
  add_owner(owners, user.kind, user.name);
  const auto reason = std::string(name_of(user.kind)) + ' ' + user.name;
  if (in_use.verdict != InUseVerdict::in_use) in_use = {InUseVerdict::in_use, {}};
  if (std::find(in_use.reasons.begin(), in_use.reasons.end(), reason) == in_use.reasons.end()) {
    in_use.reasons.push_back(reason);
  }
}

bool is_mounted(const NvmeController& drive) {
  return std::any_of(drive.owners.begin(), drive.owners.end(),
                     [](const Owner& each) { return each.kind == OwnerKind::filesystem; });
}

void add_to_namespace(Inventory& inventory, NvmeNamespace& held, const Owner& user) {
  std::vector<Owner> none;
  add_user(none, held.in_use, user);
  for (auto& disk : inventory.block) {
    if (disk.name == held.name) add_user(disk.owners, disk.in_use, user);
  }
}

// Files are no news where the mount that they are on is among the owners. Where it is not, the file
// system is mounted where this process does not see it: in a container.
void add_to_owners(Inventory& inventory, const Group& group) {
  const auto& workload = group.workload;
  const Owner user{owner_kind(workload), owner_name(workload)};
  const bool holds = std::any_of(workload.via.begin(), workload.via.end(),
                                 [](Via via) { return via != Via::file; });
  for (auto& drive : inventory.nvme.controllers) {
    if (drive.id != workload.drive) continue;
    if (holds || !is_mounted(drive)) add_owner(drive.owners, user.kind, user.name);
  }
  for (const auto place : group.namespaces) {
    add_to_namespace(inventory, inventory.nvme.namespaces[place], user);
  }
  for (const auto place : group.with_files) {
    auto& held = inventory.nvme.namespaces[place];
    if (held.in_use.verdict != InUseVerdict::in_use) add_to_namespace(inventory, held, user);
  }
}

void book_gaps(ProbeContext& context, const OpenFiles& files) {
  const auto& host = context.inventory.host;
  if (files.not_looked_at > 0) {
    const auto& error = files.error;
    context.missing("workloads", error && error->err != ENOENT ? Cause::denied : Cause::absent,
                    std::to_string(files.not_looked_at) + " of " +
                        std::to_string(files.not_looked_at + files.looked_at) +
                        " processes could not be looked at, the first: " +
                        (error ? error->message() : "no answer in time"),
                    error ? error->path : "proc", files.not_looked_at);
  }
  if (!files.all_visible) {
    context.missing("workloads", Cause::denied,
                    "proc does not show other users' processes (hidepid)", "proc");
  }
  if (host.virtualization == "container") {
    context.missing("workloads", Cause::absent,
                    "inside a container other processes of the host are not seen", "proc");
  }
}

void run(ProbeContext& context) {
  auto& inventory = context.inventory;
  const OwnerMap owners(context.root, inventory.host.virtualization == "container");
  const DriveDevices devices(context, owners);
  if (devices.empty()) {
    context.missing("workloads", Cause::not_applicable, "there is no NVMe drive to be used");
    return;
  }
  const auto files = look_at_processes(context, devices, owners);
  book_gaps(context, files);
  if (files.looked_at == 0) {
    context.missing("workloads", Cause::absent, "no process's descriptors could be looked at",
                    "proc");
    return;
  }
  context.enter("probe:workloads", "workloads");  // no process is in hand any more
  auto& workloads = inventory.workloads.emplace();
  for (auto& group : group_by_drive(context, files)) {
    auto& workload = group.workload;
    workload.processes = static_cast<std::int64_t>(group.pids.size());
    std::sort(workload.via.begin(), workload.via.end());
    if (!workload.pid) {
      context.missing("workloads[].pid", Cause::not_applicable, "a unit may have many");
    }
    if (!workload.cgroup) {
      context.missing("workloads[].cgroup", Cause::unreadable,
                      "proc/" + group.pids.front() + "/cgroup does not tell it");
    }
    read_allowed(context, group);
    read_memory(context, group);
    add_to_owners(inventory, group);
    workloads.push_back(std::move(workload));
  }
}

}  // namespace

extern const Probe kWorkloads{
    "workloads", "proc/*/fd, proc/*/task/*/status, proc/*/cgroup", run,
    [](const Inventory& inventory) { return inventory.workloads.has_value(); }};

}  // namespace lk
