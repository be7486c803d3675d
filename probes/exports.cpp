#include "probes/exports.hpp"

#include <cerrno>

#include "base/text.hpp"

namespace lk {

namespace {

constexpr const char* kNvmet = "sys/kernel/config/nvmet/subsystems";
constexpr const char* kLio = "sys/kernel/config/target/core";

std::vector<std::string> entries(const Root& root, const std::string& path,
                                 std::vector<std::string>& gaps) {
  auto names = root.list(path);
  if (names) return *std::move(names);
  const int err = names.error().err;
  if (err != ENOENT && err != ENOTDIR) gaps.push_back(names.error().message());
  return {};
}

std::string text_of(const Root& root, const std::string& path) {
  const auto text = root.read(path);
  return text ? std::string(trim(*text)) : std::string();
}

// Links in /dev lead to the device in one step: by-id/x -> ../../nvme0n1, mapper/x -> ../dm-0.
std::string device_of(const Root& root, std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  const auto target = root.link_target(path);
  return std::string(base_name(target ? std::string_view(*target) : path));
}

void read_one(const Root& root, const std::string& directory, const char* attribute,
              const Owner& owner, std::vector<Export>& found) {
  if (text_of(root, directory + "/enable") != "1") return;
  const auto file = directory + '/' + attribute;
  const auto path = text_of(root, file);
  if (path.starts_with('/')) found.push_back({owner, path, file, device_of(root, path)});
}

}  // namespace

std::vector<Export> read_exports(const Root& root, std::vector<std::string>& gaps) {
  std::vector<Export> found;
  for (const auto& subsystem : entries(root, kNvmet, gaps)) {
    const auto base = std::string(kNvmet) + '/' + subsystem + "/namespaces";
    for (const auto& number : entries(root, base, gaps)) {
      read_one(root, base + '/' + number, "device_path",
               {OwnerKind::nvmet, subsystem + '/' + number}, found);
    }
  }
  for (const auto& backend : entries(root, kLio, gaps)) {
    if (!backend.starts_with("iblock_")) continue;
    const auto base = std::string(kLio) + '/' + backend;
    for (const auto& name : entries(root, base, gaps)) {
      read_one(root, base + '/' + name, "udev_path", {OwnerKind::lio, backend + '/' + name}, found);
    }
  }
  return found;
}

}  // namespace lk
