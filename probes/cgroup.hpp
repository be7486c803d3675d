// The control group of a process: which systemd unit it belongs to, and where its memory is.
#pragma once

#include <array>
#include <map>
#include <optional>

#include "base/root.hpp"

namespace lk {

struct ControlGroup {
  std::string path;       // "/system.slice/postgresql@16-main.service"
  std::string unit;       // "postgresql@16-main.service"; empty: of no service or scope
  std::string unit_path;  // the path up to the unit
  // A log-in session or a user's own manager: its processes have nothing to do with each other.
  bool session = false;
};

// Of the text of proc/<pid>/cgroup: the unified hierarchy, else systemd's own. Null if it has
// neither.
std::optional<ControlGroup> parse_cgroup(std::string_view text);

// Of hugetlb.<size>.numa_stat.
constexpr std::array<const char*, 5> kHugePageSizes{"64KB", "2MB", "32MB", "512MB", "1GB"};

// Bytes by node ("0") of memory.numa_stat (anon and file) of the unified hierarchy and of
// hugetlb.*.numa_stat. An Error if the former cannot be read.
Result<std::map<std::string, std::int64_t>> memory_of(const Root& root,
                                                      const std::string& unit_path);

}  // namespace lk
