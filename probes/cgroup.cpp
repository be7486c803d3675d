#include "probes/cgroup.hpp"

#include "base/text.hpp"

namespace lk {

namespace {

ControlGroup of_path(std::string_view path) {
  ControlGroup group;
  group.path = path;
  std::size_t at = 0;
  while (at < path.size()) {
    const auto end = std::min(path.find('/', at + 1), path.size());
    const auto name = path.substr(at + 1, end - at - 1);
    if (name.ends_with(".service") || name.ends_with(".scope")) {
      group.unit = name;
      group.unit_path = path.substr(0, end);
      group.session =
          name.starts_with("user@") || name.starts_with("session-") || name == "init.scope";
      return group;
    }
    at = end;
  }
  return group;
}

// "anon N0=4096 N1=0": adds the bytes of each node.
bool add_nodes(std::string_view line, std::map<std::string, std::int64_t>& bytes) {
  const auto fields = words(line);
  for (std::size_t i = 1; i < fields.size(); ++i) {
    const auto equals = fields[i].find('=');
    if (!fields[i].starts_with('N') || equals == std::string_view::npos) continue;
    const auto value = parse_int(fields[i].substr(equals + 1));
    if (!value) return false;
    bytes[std::string(fields[i].substr(1, equals - 1))] += *value;
  }
  return true;
}

}  // namespace

std::optional<ControlGroup> parse_cgroup(std::string_view text) {
  std::optional<ControlGroup> found;
  for (const auto line : split(text, '\n')) {
    // 0::/system.slice/x.service, 1:name=systemd:/system.slice/x.service, 4:memory:/...
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    const auto path = line.substr(second + 1);
    if (controllers.empty() && (!found || path != "/")) found = of_path(path);
    if (controllers == "name=systemd" && (!found || found->path == "/")) found = of_path(path);
  }
  return found;
}

Result<std::map<std::string, std::int64_t>> memory_of(const Root& root,
                                                      const std::string& unit_path) {
  const std::string base = "sys/fs/cgroup" + unit_path;
  const auto text = root.read(base + "/memory.numa_stat");
  if (!text) return text.error();
  std::map<std::string, std::int64_t> bytes;
  for (const auto line : split(*text, '\n')) {
    if (!line.starts_with("anon ") && !line.starts_with("file ")) continue;
    if (!add_nodes(line, bytes)) {
      return Error{"makes no sense:", base + "/memory.numa_stat", 0};
    }
  }
  for (const char* size : kHugePageSizes) {
    const auto huge = root.read(base + "/hugetlb." + size + ".numa_stat");
    if (huge) add_nodes(trim(*huge), bytes);
  }
  return bytes;
}

}  // namespace lk
