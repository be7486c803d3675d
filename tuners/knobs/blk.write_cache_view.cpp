#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  auto all = observe_queues(inventory, "write_cache", word(&BlockQueue::write_cache));
  for (auto& seen : all) {
    if (!seen.value) continue;
    seen.reason = "the kernel believes \"" + to_text(*seen.value) +
                  "\"; the drive's own view needs an Identify command, which the inventory never "
                  "sends";
    seen.value.reset();
    seen.no_value = Verdict::not_applicable;
  }
  return all;
}

Remedy remedy(const ObservationGroup& group, const Expectation&) {
  auto remedy = no_remedy(
      "Stop what writes to the drive, then find out who wrote queue/write_cache (udev rules, "
      "scripts) and remove that: a reset or a reboot brings back the drive's own answer.");
  remedy.command = "grep -r write_cache /etc/udev/rules.d /usr/lib/udev/rules.d; cat /" +
                   group.front()->evidence.front().path;
  return remedy;
}

}  // namespace

extern const Knob kBlkWriteCacheView;
const Knob kBlkWriteCacheView{
    .id = "blk.write_cache_view",
    .title = "Write cache as the kernel sees it",
    .doc = R"(Whether the kernel's belief about a volatile write cache
(`sys/block/<disk>/queue/write_cache`) is the drive's own. Values: `same`, `differs`. The drive's
view (VWC) is only told by an Identify command, and reading the inventory sends none, so the check
is not applicable until somebody asks for it; the kernel's belief is shown as evidence.

By hand: `cat /sys/block/nvme0n1/queue/write_cache; nvme id-ctrl /dev/nvme0 | grep vwc`

Never written: the file changes only what the kernel believes.)",
    .why =
        "A kernel that believes \"write through\" sends no flushes: with a volatile cache in the "
        "drive, a power cut then loses writes that were reported as durable (kernel ABI, "
        "sysfs-block).",
    .scope = Scope::block,
    .words = {"same", "differs"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
