#include "service/capture_processes.hpp"

#include "base/text.hpp"
#include "probes/cgroup.hpp"
#include "probes/open_files.hpp"

namespace lk {

namespace {

constexpr std::string_view kLimitDevice = "/dev/cpu_dma_latency";

// The device gives four bytes, an int32; the tree holds them in a file of the same name.
bool latency_limit(CaptureWalk& walk) {
  constexpr std::int32_t kNoLimit = 2000000000;
  const auto limit = walk.root().read_latency_limit();
  if (!limit) return false;
  std::string bytes(sizeof *limit, '\0');
  std::char_traits<char>::copy(bytes.data(), reinterpret_cast<const char*>(&*limit), sizeof *limit);
  walk.text("dev/cpu_dma_latency", bytes);
  return *limit < kNoLimit;
}

// "/dev/nvme0n1p1", "/dev/ng0n1", "/dev/vfio/12": the name that the kernel gives the device; empty
// for character devices of other kinds.
std::string device_name(const Root& root, const Root::OpenFile& file) {
  const auto target =
      root.link_target((file.is_block() ? "sys/dev/block/" : "sys/dev/char/") + file.number);
  if (!target) return {};
  const std::string name(base_name(*target));
  if (file.is_block()) return "/dev/" + name;
  const auto parent = target->substr(0, target->rfind('/'));
  const auto folder = base_name(parent);
  if (folder == "vfio") return "/dev/vfio/" + name;
  if (folder == "vfio-dev") return "/dev/vfio/devices/" + name;
  if (folder == "uio" || name.starts_with("ng")) return "/dev/" + name;
  return {};
}

bool is_system(std::string_view point) {
  return point == "/" || point == "/usr" || point == "/boot" || point == "/boot/efi";
}

// Where a descriptor leads: a device that can be a drive's, or the mount point of a file; empty if
// it is of no interest.
std::string place_of(const Root& root, const Root::OpenFile& file, const OwnerMap& owners) {
  if (file.is_block() || file.is_character()) return device_name(root, file);
  if (!file.is_regular() || file.number.starts_with("0:")) return {};
  if (const auto* mount = owners.mount_on(file.number)) {
    return is_system(mount->point) ? std::string() : mount->point;
  }
  // Mounted where this process does not see it, in a container.
  const auto device = root.link_target("sys/dev/block/" + file.number);
  return device ? std::string(kFileOn) + std::string(base_name(*device)) : std::string();
}

// Descriptors and where they lead. In a captured tree the links say so already.
Result<std::map<std::string, std::string>> places_of(const Root& root, const std::string& folder,
                                                     const OwnerMap& owners) {
  std::map<std::string, std::string> places;
  if (root.is_live()) {
    const auto files = root.open_files(folder);
    if (!files) return files.error();
    for (const auto& file : *files) places[file.name] = place_of(root, file, owners);
    return places;
  }
  const auto names = root.list(folder);
  if (!names) return names.error();
  for (const auto& name : *names) {
    const auto target = root.link_target(folder + '/' + name);
    places[name] = target ? *target : std::string();
  }
  return places;
}

void threads(CaptureWalk& walk, const std::string& pid) {
  const std::string base = "proc/" + pid + "/task";
  for (const auto& task : walk.list(base)) {
    const auto path = base + '/' + task + "/status";
    const auto status = walk.root().read(path);
    if (!status) continue;
    std::string kept;
    for (const auto line : split(*status, '\n')) {
      if (line.starts_with("Cpus_allowed_list:") || line.starts_with("Mems_allowed_list:")) {
        kept += std::string(line) + '\n';
      }
    }
    walk.text(path, kept);
  }
}

void holder(CaptureWalk& walk, const std::string& pid) {
  const std::string path = "proc/" + pid + "/cgroup";
  walk.file(path);
  threads(walk, pid);
  const auto text = walk.root().read(path);
  const auto cgroup = text ? parse_cgroup(*text) : std::nullopt;
  if (!cgroup || cgroup->unit.empty() || cgroup->session) return;
  const std::string base = "sys/fs/cgroup" + cgroup->unit_path;
  walk.file(base + "/memory.numa_stat");
  for (const char* size : kHugePageSizes) walk.file(base + "/hugetlb." + size + ".numa_stat");
}

// The folder of descriptors, also an empty one, says that they could be looked at.
void descriptors(CaptureWalk& walk, const std::string& pid, bool limit_in_force,
                 const OwnerMap& owners) {
  const auto base = "proc/" + pid + "/fd";
  const auto places = places_of(walk.root(), base, owners);
  if (!places) return;
  walk.folder(base);
  bool holds = false;
  for (const auto& [name, place] : *places) {
    const auto path = base + '/' + name;
    if (!place.empty() && place != kLimitDevice) {
      walk.link_to(path, place);
      holds = true;
    } else if (limit_in_force && walk.root().link_target(path).value_or("") == kLimitDevice) {
      walk.link(path);
    }
  }
  if (holds) holder(walk, pid);
}

}  // namespace

void capture_processes(CaptureWalk& walk) {
  const bool limit_in_force = latency_limit(walk);
  const OwnerMap owners(walk.root(), false);
  for (const auto& pid : walk.list("proc")) {
    if (!is_process(pid)) continue;
    walk.file("proc/" + pid + "/comm");
    descriptors(walk, pid, limit_in_force, owners);
  }
}

}  // namespace lk
