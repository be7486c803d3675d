#include "probes/open_files.hpp"

#include <algorithm>
#include <cerrno>

namespace lk {

namespace {

constexpr std::size_t kBatch = 256;

void add_uses(std::vector<DriveUse>& to, const std::vector<DriveUse>& uses) {
  for (const auto& use : uses) {
    if (std::find(to.begin(), to.end(), use) == to.end()) to.push_back(use);
  }
}

// Of live processes the descriptors' files tell, of captured ones the links' text.
Result<std::vector<DriveUse>> uses_of(const Root& root, const std::string& folder,
                                      const DriveDevices& devices, const OwnerMap& owners) {
  std::vector<DriveUse> uses;
  if (root.is_live()) {
    const auto files = root.open_files(folder);
    if (!files) return files.error();
    for (const auto& file : *files) add_uses(uses, devices.uses_of(file));
    return uses;
  }
  const auto names = root.list(folder);
  if (!names) return names.error();
  for (const auto& name : *names) {
    const auto target = root.link_target(folder + '/' + name);
    if (target) add_uses(uses, devices.uses_of(*target, owners));
  }
  return uses;
}

// True for a process that ended meanwhile. In a captured tree a process without descriptors is one
// that whoever captured it could not look at.
bool is_gone(const Root& root, const Error& error) {
  return root.is_live() && (error.err == ENOENT || error.err == ESRCH);
}

void look_at(const Root& root, const std::string& pid, const DriveDevices& devices,
             const OwnerMap& owners, OpenFiles& found) {
  auto uses = uses_of(root, "proc/" + pid + "/fd", devices, owners);
  if (!uses) {
    if (is_gone(root, uses.error())) return;
    ++found.not_looked_at;
    if (!found.error) found.error = uses.error();
    return;
  }
  ++found.looked_at;
  if (!uses->empty()) found.holders.push_back({pid, *std::move(uses)});
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
