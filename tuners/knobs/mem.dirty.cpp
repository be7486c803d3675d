#include "tuners/observe.hpp"

namespace lk {

namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

std::optional<std::int64_t> sysctl(const Inventory& inventory, const std::string& name) {
  const auto found = inventory.kernel.sysctls.find(name);
  return found == inventory.kernel.sysctls.end() ? std::nullopt : found->second;
}

std::vector<Observation> observe(const Inventory& inventory) {
  const auto bytes = sysctl(inventory, "vm.dirty_bytes");
  if (bytes && *bytes > 0) {
    auto seen = observed("host", Value{*bytes / kMiB},
                         {{"proc/sys/vm/dirty_bytes", std::to_string(*bytes)}});
    return {seen};
  }
  const auto ratio = sysctl(inventory, "vm.dirty_ratio");
  if (!ratio) return {missing(inventory, "host", "kernel.sysctls.vm.dirty_ratio")};
  std::int64_t memory = 0;
  for (const auto& node : inventory.numa.nodes) memory += node.memory_bytes.value_or(0);
  if (memory == 0) return {not_applicable("host", "how much memory the host has is not known")};
  auto seen = observed("host", Value{memory / 100 * *ratio / kMiB},
                       {{"proc/sys/vm/dirty_ratio", std::to_string(*ratio)}});
  seen.detail = "at most: " + std::to_string(*ratio) + " % of the memory";
  return {seen};
}

Remedy remedy(const ObservationGroup&, const Expectation& wanted) {
  return runtime(
      "As root; it holds until the next boot. Writing dirty_bytes sets dirty_ratio to 0.",
      "sysctl -w vm.dirty_bytes=$((" + wanted_number(wanted) + " << 20))");
}

}  // namespace

extern const Knob kMemDirty;
const Knob kMemDirty{
    .id = "mem.dirty",
    .title = "Dirty page limit",
    .doc =
        R"(How much dirty page cache stops writers, in MiB: `proc/sys/vm/dirty_bytes`, or `dirty_ratio` percent
of the memory (at most: the kernel takes the ratio of what is available, which is less). Only one of
the two is in force; the other reads 0.

By hand: `sysctl vm.dirty_bytes vm.dirty_ratio vm.dirty_background_bytes vm.dirty_background_ratio`)",
    .why =
        "What matters is how long the drives need to write that much: 20 % of 1 TiB is 205 GiB, a "
        "minute of writing for a 3 GB/s drive during which a sync waits. Direct I/O has no dirty "
        "pages.",
    .unit = "MiB",
    .risk = Risk::safe,
    .kind = ValueKind::number,
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
