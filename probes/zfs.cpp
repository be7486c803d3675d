#include "probes/zfs.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <optional>

#include "base/text.hpp"

namespace lk {

namespace {

constexpr std::string_view kType = "E:ID_FS_TYPE=";
constexpr std::string_view kLabel = "E:ID_FS_LABEL=";

// "E:NAME=value" lines; a value that is not there is empty.
std::string_view value_of(std::string_view record, std::string_view key) {
  for (const auto line : split(record, '\n')) {
    if (line.starts_with(key)) return trim(line.substr(key.size()));
  }
  return {};
}

}  // namespace

std::vector<std::string> zfs_pools(const Root& root) {
  const std::string base = "proc/spl/kstat/zfs";
  std::vector<std::string> pools;
  const auto entries = root.list(base);
  if (!entries) return pools;
  for (const auto& each : *entries) {  // files beside them are statistics of the whole
    const auto mode = root.mode(base + '/' + each);
    if (mode && S_ISDIR(*mode)) pools.push_back(each);
  }
  return pools;
}

std::optional<std::string> zfs_pool_of(const Root& root, const std::string& number,
                                       const std::vector<std::string>& pools) {
  if (pools.empty() || number.empty()) return std::nullopt;
  const auto record = root.read("run/udev/data/b" + number);
  if (!record || value_of(*record, kType) != "zfs_member") return std::nullopt;
  std::string pool(value_of(*record, kLabel));
  if (std::find(pools.begin(), pools.end(), pool) == pools.end()) return std::nullopt;
  return pool;
}

std::string_view pool_of_dataset(std::string_view dataset) {
  return dataset.substr(0, dataset.find('/'));
}

std::string zfs_lines(std::string_view record) {
  if (value_of(record, kType) != "zfs_member") return {};
  return std::string(kType) + "zfs_member\n" + std::string(kLabel) +
         std::string(value_of(record, kLabel)) + '\n';
}

}  // namespace lk
