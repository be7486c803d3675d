#include "service/capture_walk.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "base/text.hpp"

namespace lk {

namespace {

// Reading them asks the device or firmware (hwmon, vpd, rom, inquiry), wakes a CPU (cur_freq,
// uncore's current_freq_khz, cppc), gives a secret (dhchap, tls), or what changes with every look
// (counters, uevent).
constexpr std::array<std::string_view, 41> kLeftOut{"hwmon",
                                                    "vpd",
                                                    "rom",
                                                    "resource",
                                                    "inquiry",
                                                    "vpd_pg83",
                                                    "vpd_pg89",
                                                    "vpd_pg0",
                                                    "vpd_pgb0",
                                                    "vpd_pgb1",
                                                    "vpd_pgb2",
                                                    "vpd_pgb7",
                                                    "eeprom",
                                                    "uevent",
                                                    "scaling_cur_freq",
                                                    "cpuinfo_cur_freq",
                                                    "cpuinfo_avg_freq",
                                                    "current_freq_khz",
                                                    "acpi_cppc",
                                                    "thermal_throttle",
                                                    "crash_notes",
                                                    "crash_notes_size",
                                                    "dhchap_secret",
                                                    "dhchap_ctrl_secret",
                                                    "tls_key",
                                                    "tls_configured_key",
                                                    "tls_keyring",
                                                    "trace",
                                                    "usage",
                                                    "time",
                                                    "above",
                                                    "below",
                                                    "rejected",
                                                    "s2idle",
                                                    "per_cpu_count",
                                                    "stat",
                                                    "inflight",
                                                    "vmstat",
                                                    "numastat",
                                                    "generic",
                                                    "spurious"};

constexpr std::array<std::string_view, 7> kPowerFiles{"control",
                                                      "runtime_status",
                                                      "runtime_enabled",
                                                      "pm_qos_latency_tolerance_us",
                                                      "pm_qos_resume_latency_us",
                                                      "energy_perf_bias",
                                                      "pm_qos_no_power_off"};

// What tells a bridge, a host or a target above a disk.
const std::vector<std::string>& shallow_files() {
  static const std::vector<std::string> names{
      "vendor", "device",  "class",     "model", "rev",       "state",    "type",     "serial",
      "wwid",   "address", "numa_node", "name",  "proc_name", "vpd_pg80", "transport"};
  return names;
}

bool is_left_out(std::string_view name, const std::string& folder) {
  if (std::find(kLeftOut.begin(), kLeftOut.end(), name) != kLeftOut.end()) return true;
  if (base_name(folder) == "power") {
    return std::find(kPowerFiles.begin(), kPowerFiles.end(), name) == kPowerFiles.end();
  }
  // node*/memory12: one link for every memory block.
  return name.starts_with("memory") && name.size() > 6 &&
         name.find_first_not_of("0123456789", 6) == name.npos;
}

// A device's own monitor, "hwmon3": the class's folder above it is left out whole.
bool is_monitor(std::string_view name) {
  return name.starts_with("hwmon") && name.size() > 5 &&
         name.find_first_not_of("0123456789", 5) == name.npos;
}

}  // namespace

bool CaptureWalk::enter(const std::string& unit) {
  if (sink_.skip.contains(unit)) return false;
  sink_.announce(unit);
  return true;
}

std::vector<std::string> CaptureWalk::list(const std::string& path) {
  auto names = root_.list(path);
  if (names) return *std::move(names);
  if (names.error().err != ENOENT && names.error().err != ENOTDIR) {
    sink_.gap({path, names.error().err});
  }
  return {};
}

bool CaptureWalk::is_folder(const std::string& path) const {
  const auto mode = root_.mode(path);
  return mode && S_ISDIR(*mode);
}

void CaptureWalk::file(const std::string& path, std::size_t limit) {
  if (!done_.insert(path).second) return;
  mode_t mode = 0;
  auto content = root_.read_start(path, limit, &mode);
  if (!content) {
    const int err = content.error().err;
    if (err != ENOENT && err != EISDIR) sink_.gap({path, err});
    return;
  }
  if (content->size() > limit) {  // no such file is that long: half of it would be a lie
    sink_.gap({path, EFBIG});
    return;
  }
  sink_.entry(path, {TreeEntry::Kind::file, mode & 07777U, *std::move(content)});
}

void CaptureWalk::start(const std::string& path, std::size_t size) {
  if (!done_.insert(path).second) return;
  mode_t mode = 0;
  auto content = root_.read_start(path, size - 1, &mode);  // gives one byte more, if there is one
  if (content) {
    sink_.entry(path, {TreeEntry::Kind::file, mode & 07777U, *std::move(content)});
  } else if (content.error().err != ENOENT) {
    sink_.gap({path, content.error().err});
  }
}

void CaptureWalk::text(const std::string& path, std::string content) {
  if (done_.insert(path).second) {
    sink_.entry(path, {TreeEntry::Kind::file, 0444, std::move(content)});
  }
}

void CaptureWalk::folder(const std::string& path) {
  if (done_.insert(path).second) sink_.entry(path, {TreeEntry::Kind::folder, 0755, ""});
}

bool CaptureWalk::link(const std::string& path) {
  auto target = root_.link_target(path);
  if (!target) return false;
  if (done_.insert(path).second) {
    sink_.entry(path, {TreeEntry::Kind::link, 0777, *std::move(target)});
  }
  return true;
}

void CaptureWalk::link_to(const std::string& path, const std::string& target) {
  if (done_.insert(path).second) sink_.entry(path, {TreeEntry::Kind::link, 0777, target});
}

void CaptureWalk::files(const std::string& folder, const std::vector<std::string>& names) {
  for (const auto& name : names) file(folder + '/' + name);
}

void CaptureWalk::tree(const std::string& path, int depth) {
  if (!is_folder(path)) return;
  if (!enter(path)) {
    sink_.gap({path, ETIMEDOUT});
    folder(path);
    return;
  }
  folder(path);
  children(path, depth);
}

void CaptureWalk::children(const std::string& path, int depth) {
  std::vector<std::string> folders;
  for (const auto& name : list(path)) {
    const auto child = path + '/' + name;
    if (is_left_out(name, path) || link(child)) continue;
    if (is_monitor(name)) {  // every sensor below it asks the device
      folder(child);
      file(child + "/name");
      continue;
    }
    const auto mode = root_.mode(child);
    if (!mode) continue;
    if (S_ISDIR(*mode)) {
      folders.push_back(child);
    } else if (S_ISREG(*mode) && (*mode & 0444U) != 0) {
      file(child);
    }
  }
  for (const auto& each : folders) {
    if (depth > 0) {
      tree(each, depth - 1);
    } else {
      folder(each);
    }
  }
}

void CaptureWalk::above(const std::string& real) {
  auto parent = real.substr(0, real.rfind('/'));
  while (parent.starts_with("sys/devices/")) {
    if (done_.contains(parent + "/.")) return;  // its own and those above it were done
    done_.insert(parent + "/.");
    if (enter(parent)) {
      folder(parent);
      files(parent, shallow_files());
      for (const char* name : {"driver", "subsystem", "device"}) link(parent + '/' + name);
    } else {
      sink_.gap({parent, ETIMEDOUT});
    }
    parent = parent.substr(0, parent.rfind('/'));
  }
}

void CaptureWalk::device(const std::string& path, int depth) {
  const bool is_link = link(path);
  const auto real = is_link ? root_.real_path(path) : Result<std::string>(path);
  if (!real) return;
  tree(*real, depth);
  above(*real);
}

}  // namespace lk
