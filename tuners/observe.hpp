// What knobs share: saying why a value is missing, naming targets, choosing drives.
#pragma once

#include <functional>

#include "tuners/knob.hpp"

namespace lk {

// The problem that explains why `field` ("nvme.controllers[].apst") is null. Problems count many
// objects, so one whose path holds `hint` (a PCI address, "policy3") is preferred; then one that
// leaves the value open over one that says that the file does not exist. Without one of its own, a
// problem of the part around it counts ("cpu" for "cpu.online": the probe failed). Null if there is
// none.
const Problem* find_problem(const Inventory& inventory, std::string_view field,
                            std::string_view hint = {});

// An observation without a value: not_applicable where the file does not exist, else unknown.
Observation missing(const Inventory& inventory, const std::string& target, std::string_view field,
                    std::string_view hint = {});
// The host has no element of the list `field`: not_applicable with `reason`, or unknown if a
// problem says that the list could not be read.
std::vector<Observation> nothing(const Inventory& inventory, std::string_view field,
                                 const std::string& reason);
// As missing(), but unknown in any case: for what is judged by not being seen.
Observation unseen(const Inventory& inventory, const std::string& target, std::string_view field);
Observation not_applicable(const std::string& target, const std::string& reason);
Observation unknown(const std::string& target, const std::string& reason);

// An observation with a value, and where it was read.
Observation observed(const std::string& target, Value value, std::vector<Evidence> evidence);

Value on_off(bool on);
// "12" -> 12, else the word.
Value word_or_number(const std::string& text);

bool is_virtual(const Inventory& inventory);  // a virtual machine; a container alone is not
bool has_word(const std::optional<std::string>& text, std::string_view word);  // of a command line

// "pci:0000:3b:00.0"
std::string target_of(Scope scope, std::string_view id);
std::string drive_name(const NvmeController& drive);  // "nvme0 (SN123, 0000:3b:00.0)"
TargetTraits drive_traits(const NvmeController& drive);
TargetTraits cpu_traits(const Inventory& inventory);
// vfio-pci or a uio driver has it: Lanekeeper sees little of it and never writes to it.
bool is_foreign(const NvmeController& drive);
// Online CPUs of the nodes that drives are known to be on.
CpuSet drive_local_cpus(const Inventory& inventory);

// Every NVMe controller through `look`, with its name and traits.
std::vector<Observation> observe_drives(const Inventory& inventory,
                                        Observation (*look)(const Inventory&,
                                                            const std::string& target,
                                                            const NvmeController&));
// "nvme0", "0000:3b:00.0": what a problem's path holds of this drive.
std::string hint_of(const NvmeController& drive);

// One namespace or disk whose queue profiles judge: NVMe namespaces, and NVMe media behind an HBA.
struct QueueTarget {
  std::string target;  // "block:<wwid>", or its name where it has none
  std::string name;
  std::string part;         // "nvme.namespaces[]" or "block[]"
  const BlockQueue* queue;  // null if it could not be read
  TargetTraits traits;
};
std::vector<QueueTarget> queue_targets(const Inventory& inventory);
// A queue attribute of all of them. `pick` gives the value and what the file says for it;
// `attribute` is the file in queue/.
struct Picked {
  Value value;
  std::string raw;
};
using QueuePick = std::function<std::optional<Picked>(const BlockQueue&)>;
std::vector<Observation> observe_queues(const Inventory& inventory, std::string_view attribute,
                                        const QueuePick& pick);
// A word as it is.
QueuePick word(std::optional<std::string> BlockQueue::*member);
// A number as it is.
QueuePick number(std::optional<std::int64_t> BlockQueue::*member);
// 0 and 1 as off and on.
QueuePick flag(std::optional<std::int64_t> BlockQueue::*member);

// A sysctl ("vm.swappiness") as one observation of the host.
std::vector<Observation> observe_sysctl(const Inventory& inventory, const std::string& name);
// "sysctl -w name=value", with the number nearest to what is wanted.
Remedy sysctl_remedy(const std::string& name, const Expectation& wanted);
// The number nearest to what is wanted: the first alternative, or the limit; empty if none.
std::string wanted_number(const Expectation& wanted);

// The first value of `wanted` that every target of the group offers; empty if it names none.
std::string choice(const ObservationGroup& group, const Expectation& wanted);
// "echo <value> | tee <files>": writes the first evidence file of every target, for bash.
std::string write_command(const ObservationGroup& group, const std::string& value);
// "/sys/block/{nvme0n1,nvme1n1}/queue/scheduler" for bash, from paths of one kind.
std::string brace_paths(const std::vector<std::string>& paths);

Remedy no_remedy(std::string_view text);
Remedy runtime(std::string_view text, std::string command);
Remedy runtime(std::string_view text);
Remedy boot(std::string_view text);
Remedy firmware(std::string_view text);

}  // namespace lk
