#include "probes/open_files.hpp"

#include <algorithm>
#include <cerrno>

namespace lk {

namespace {

constexpr std::size_t kBatch = 256;

// Of live processes the descriptors' files, of captured ones the links' text.
std::vector<DriveUse> uses_of(const Root& root, const std::string& path,
                              const DriveDevices& devices, const OwnerMap& owners) {
  if (root.is_live()) {
    const auto file = root.open_file(path);
    return file ? devices.uses_of(*file) : std::vector<DriveUse>{};
  }
  const auto target = root.link_target(path);
  return target ? devices.uses_of(*target, owners) : std::vector<DriveUse>{};
}

// True for a process that ended meanwhile. In a captured tree a process without descriptors is one
// that whoever captured it could not look at.
bool is_gone(const Root& root, const Error& error) {
  return root.is_live() && (error.err == ENOENT || error.err == ESRCH);
}

void look_at(const Root& root, const std::string& pid, const DriveDevices& devices,
             const OwnerMap& owners, OpenFiles& found) {
  const std::string base = "proc/" + pid + "/fd";
  const auto descriptors = root.list(base);
  if (!descriptors) {
    if (is_gone(root, descriptors.error())) return;
    ++found.not_looked_at;
    if (!found.error) found.error = descriptors.error();
    return;
  }
  ++found.looked_at;
  Holder holder{pid, {}};
  for (const auto& each : *descriptors) {
    for (const auto& use : uses_of(root, base + '/' + each, devices, owners)) {
      if (std::find(holder.uses.begin(), holder.uses.end(), use) == holder.uses.end()) {
        holder.uses.push_back(use);
      }
    }
  }
  if (!holder.uses.empty()) found.holders.push_back(std::move(holder));
}

}  // namespace

bool is_process(const std::string& name) {
  return !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
}

OpenFiles look_at_processes(ProbeContext& context, const DriveDevices& devices,
                            const OwnerMap& owners) {
  OpenFiles found;
  auto names = context.list("workloads", "proc");
  std::erase_if(names, [](const std::string& name) { return !is_process(name); });
  found.all_visible = std::find(names.begin(), names.end(), "1") != names.end();
  for (std::size_t start = 0; start < names.size(); start += kBatch) {
    const auto end = std::min(start + kBatch, names.size());
    if (!context.enter("processes from " + names[start], "workloads")) {
      found.not_looked_at += static_cast<std::int64_t>(end - start);
      continue;
    }
    for (std::size_t i = start; i < end; ++i) {
      look_at(context.root, names[i], devices, owners, found);
    }
  }
  return found;
}

}  // namespace lk
