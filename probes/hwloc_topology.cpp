#include "probes/hwloc_topology.hpp"

#include <fcntl.h>
#include <hwloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include "base/child.hpp"
#include "base/text.hpp"

namespace lk {

namespace {

// Nothing but what is compared, and no look at anything but CPUs and nodes.
constexpr unsigned long kFlags = HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED |
                                 HWLOC_TOPOLOGY_FLAG_NO_DISTANCES |
                                 HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS | HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS;

// Files that hwloc opens beside the folders of CPUs and nodes.
constexpr std::array<const char*, 9> kOtherPaths{"proc/cpuinfo",
                                                 "proc/meminfo",
                                                 "proc/mounts",
                                                 "proc/self/cpuset",
                                                 "proc/self/cgroup",
                                                 "proc/device-tree/cpus",
                                                 "sys/class/dmi/id",
                                                 "sys/devices/virtual/dmi/id",
                                                 "sys/kernel/mm/hugepages"};

bool environment_fits(const Root& root) {
  const char* components = std::getenv("HWLOC_COMPONENTS");
  if (components == nullptr || std::string_view(components) != "linux,stop") return false;
  const char* fsroot = std::getenv("HWLOC_FSROOT");
  if (root.is_live()) return fsroot == nullptr;
  if (fsroot == nullptr) return false;
  const auto asked = Root::captured(fsroot);
  return asked && asked->directory() == root.directory();
}

Error not_our_root() {
  return Error{"hwloc is not used: this process was not started to read this root", {}, 0};
}

// Where a link leads if no other link lies on the way; empty if it leads out of the tree.
std::string lexical_target(const std::string& link, const std::string& target) {
  if (target.starts_with('/')) return {};
  std::vector<std::string_view> parts = split(link, '/');
  parts.pop_back();
  for (const auto piece : split(target, '/')) {
    if (piece.empty() || piece == ".") continue;
    if (piece != "..") {
      parts.push_back(piece);
    } else if (parts.empty()) {
      return {};
    } else {
      parts.pop_back();
    }
  }
  std::string path;
  for (const auto part : parts) path += (path.empty() ? "" : "/") + std::string(part);
  return path;
}

Status check_link(const Root& root, const std::string& link) {
  const auto target = root.link_target(link);
  if (!target) return target.error();
  const auto lexical = lexical_target(link, *target);
  if (lexical.empty()) return Error{"a link leads out of the captured tree:", link, 0};
  const auto real = root.real_path(link);
  // One that leads nowhere inside the tree leads nowhere for hwloc either.
  if (!real && real.error().err != ENOENT) return Error{"a link cannot be followed:", link, 0};
  if (!real || *real == lexical) return ok_status();
  return Error{"a link leads through other links:", link, 0};
}

Status check_path(const Root& root, std::string_view path) {
  std::string so_far;
  for (const auto piece : split(path, '/')) {
    so_far += (so_far.empty() ? "" : "/") + std::string(piece);
    if (!root.link_target(so_far)) continue;  // no link, or nothing there
    if (auto status = check_link(root, so_far); !status) return status;
  }
  return ok_status();
}

constexpr int kLookMs = 200;

struct Free {
  void operator()(struct hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};

CpuSet as_set(hwloc_const_cpuset_t bitmap) {
  CpuSet set;
  for (int cpu = hwloc_bitmap_first(bitmap); cpu >= 0; cpu = hwloc_bitmap_next(bitmap, cpu)) {
    if (cpu >= static_cast<int>(CpuSet::kMost)) break;
    set.add(static_cast<unsigned>(cpu));
  }
  return set;
}

std::vector<CpuSet> sets_of(hwloc_topology_t topology, hwloc_obj_type_t type) {
  std::vector<CpuSet> sets;
  hwloc_obj_t object = nullptr;
  while ((object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr) {
    auto set = as_set(object->cpuset);
    if (!set.empty()) sets.push_back(std::move(set));
  }
  std::sort(sets.begin(), sets.end(),
            [](const CpuSet& a, const CpuSet& b) { return a.first() < b.first(); });
  return sets;
}

// What the child sends: one line for each list of sets, "P 0-3 4-7"; or "E message\tpath". The line
// "." ends it, so that an answer cut short is none.
std::string as_text(const Result<HwlocTopology>& answer) {
  if (!answer) return "E " + answer.error().message() + '\t' + answer.error().path + "\n.\n";
  std::string text;
  const auto add = [&](char kind, const std::vector<CpuSet>& sets) {
    text += kind;
    for (const auto& set : sets) text += ' ' + set.to_list();
    text += '\n';
  };
  add('P', answer->packages);
  add('C', answer->cores);
  add('L', answer->l3);
  return text + ".\n";
}

std::optional<Result<HwlocTopology>> from_text(std::string_view text) {
  HwlocTopology topology;
  for (const auto line : split(text, '\n')) {
    if (line == ".") return topology;
    if (line.starts_with("E ")) {
      const auto tab = std::min(line.find('\t'), line.size());
      return Error{std::string(line.substr(2, tab - 2)),
                   std::string(line.substr(std::min(tab + 1, line.size()))), 0};
    }
    if (line.empty()) break;
    auto& sets = line[0] == 'P' ? topology.packages : line[0] == 'C' ? topology.cores : topology.l3;
    for (const auto word : words(line.substr(1))) {
      auto set = CpuSet::parse_list(word);
      if (!set) return std::nullopt;
      sets.push_back(*std::move(set));
    }
  }
  return std::nullopt;
}

[[noreturn]] void run_child(const Root& root, int out, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  const auto text = as_text(read_hwloc(root));
  std::string_view left = text;
  while (!left.empty()) {
    const auto wrote = ::write(out, left.data(), left.size());
    if (wrote <= 0) ::_exit(1);
    left.remove_prefix(static_cast<std::size_t>(wrote));
  }
  ::_exit(0);
}

void note_difference(const char* what, const std::vector<CpuSet>& theirs,
                     const std::vector<CpuSet>& ours, std::vector<std::string>& warnings) {
  if (theirs.empty() || ours.empty() || theirs == ours) return;
  std::string text = std::string("hwloc and the sysfs lists differ on ") + what + ": ";
  if (theirs.size() != ours.size()) {
    text += std::to_string(theirs.size()) + " and " + std::to_string(ours.size());
  } else {
    const auto [a, b] = std::mismatch(theirs.begin(), theirs.end(), ours.begin());
    text += "first CPUs " + a->to_list() + " and " + b->to_list();
  }
  warnings.push_back(text + "; the lists are used");
}

}  // namespace

Status check_links(const Root& root) {
  for (const auto* path : kOtherPaths) {
    if (auto status = check_path(root, path); !status) return status;
  }
  for (const auto* dir : {"sys/devices/system/cpu", "sys/devices/system/node"}) {
    if (auto status = check_path(root, dir); !status) return status;
    const auto links = root.links_below(
        dir, 4,
        {"cpuidle", "power", "microcode", "hotplug", "thermal_throttle", "cpufreq", "topology"});
    if (!links) return links.error();
    for (const auto& link : *links) {
      if (auto status = check_link(root, link); !status) return status;
    }
  }
  return ok_status();
}

Result<HwlocTopology> read_hwloc(const Root& root) {
  if (!environment_fits(root)) return not_our_root();
  if (!root.is_live()) {
    if (auto status = check_links(root); !status) return status.error();
  }
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return Error{"hwloc_topology_init failed", {}, errno};
  const std::unique_ptr<struct hwloc_topology, Free> topology(raw);
  hwloc_topology_set_flags(raw, kFlags);
  hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  for (const auto type : {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_CORE, HWLOC_OBJ_L3CACHE}) {
    hwloc_topology_set_type_filter(raw, type, HWLOC_TYPE_FILTER_KEEP_ALL);
  }
  if (hwloc_topology_load(raw) != 0) return Error{"hwloc_topology_load failed", {}, errno};
  return HwlocTopology{sets_of(raw, HWLOC_OBJ_PACKAGE), sets_of(raw, HWLOC_OBJ_CORE),
                       sets_of(raw, HWLOC_OBJ_L3CACHE)};
}

HwlocChild::HwlocChild(const Root& root) {
  if (!environment_fits(root)) {
    failure_ = not_our_root();
    return;
  }
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    failure_ = Error{"cannot make a pipe for hwloc", {}, errno};
    return;
  }
  const pid_t self = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) run_child(root, ends[1], self);
  if (pid_ < 0) failure_ = Error{"cannot start a process for hwloc", {}, errno};
  ::close(ends[1]);
  pipe_ = ends[0];
}

HwlocChild::~HwlocChild() {
  if (pipe_ >= 0) ::close(pipe_);
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, WNOHANG);  // never longer: one that hangs in the kernel stays
}

Result<HwlocTopology> HwlocChild::answer(const std::function<void()>& still_works) {
  if (pid_ <= 0) return failure_;
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    pollfd ready{pipe_, POLLIN, 0};
    if (::poll(&ready, 1, kLookMs) == 0) {
      if (is_runnable(pid_)) still_works();
      continue;
    }
    const auto got = ::read(pipe_, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  int status = 0;
  ::waitpid(std::exchange(pid_, -1), &status, 0);
  if (auto answer = from_text(text)) return *std::move(answer);
  if (!WIFSIGNALED(status)) return Error{"hwloc's process ended without an answer", {}, 0};
  return Error{"hwloc's process was ended by signal " + std::to_string(WTERMSIG(status)), {}, 0};
}

void merge_hwloc(const HwlocTopology& theirs, Cpu& ours, std::vector<std::string>& warnings) {
  std::vector<CpuSet> packages;
  for (const auto& package : ours.package_list) packages.push_back(package.cpus);
  std::vector<CpuSet> caches;
  for (const auto& cache : ours.l3) caches.push_back(cache.cpus);
  note_difference("packages", theirs.packages, packages, warnings);
  note_difference("cores", theirs.cores, ours.core_list, warnings);
  note_difference("L3 caches", theirs.l3, caches, warnings);
  if (caches.empty()) {
    for (const auto& cpus : theirs.l3) ours.l3.push_back({cpus, {}});
  }
  if (ours.core_list.empty()) ours.core_list = theirs.cores;
  if (!packages.empty()) return;
  for (const auto& cpus : theirs.packages) {
    const auto cores = std::count_if(ours.core_list.begin(), ours.core_list.end(),
                                     [&](const CpuSet& core) { return core.is_subset_of(cpus); });
    ours.package_list.push_back({-1, cpus, cores});
  }
}

}  // namespace lk
