// A knob is one observable of the host: one file in knobs/, one line in knob_table.cpp. Its id is
// its file's name, its anchor in docs/knobs.md, its label in metrics and its key in profiles.
#pragma once

#include <span>

#include "probes/inventory.hpp"
#include "tuners/finding.hpp"
#include "tuners/value.hpp"

namespace lk {

enum class Scope { host, node, cpu, policy, pci, nvme, block, irq };
constexpr auto names(Scope) {
  using S = Scope;
  return EnumNames<S, 8>{{{S::host, "host"},
                          {S::node, "node"},
                          {S::cpu, "cpu"},
                          {S::policy, "policy"},
                          {S::pci, "pci"},
                          {S::nvme, "nvme"},
                          {S::block, "block"},
                          {S::irq, "irq"}}};
}

enum class Risk { safe, disruptive, report_only };
constexpr auto names(Risk) {
  return EnumNames<Risk, 3>{
      {{Risk::safe, "safe"}, {Risk::disruptive, "disruptive"}, {Risk::report_only, "report_only"}}};
}

enum class PowerCost { none, some, high };
constexpr auto names(PowerCost) {
  return EnumNames<PowerCost, 3>{
      {{PowerCost::none, "none"}, {PowerCost::some, "some"}, {PowerCost::high, "high"}}};
}

// What a profile's `where` can choose by. Empty: the target has no such property.
struct TargetTraits {
  std::string vendor;               // of the CPU, the PCI function or the disk
  std::string model;                // of the CPU or the drive
  std::string driver;               // of the drive, or the cpufreq or cpuidle driver
  std::string transport;            // of a drive: pcie, tcp, ...
  std::string role;                 // of a drive: boot, data, unknown
  std::vector<std::string> owners;  // of a drive: filesystem, swap, ...
  bool drive_local = false;         // a CPU or node that a drive is local to
};

// One target of a knob, as observed: a value, or a verdict and a reason in place of one.
struct Observation {
  std::string target;                  // "policy:0", "nvme:0000:3b:00.0", "block:<wwid>"
  std::string name;                    // for people: "nvme0 (SN123)"
  std::vector<std::string> also = {};  // more names: other drives on the same link
  std::optional<Value> value;
  std::string detail;                   // beside the value, for people: "node 1, from the device"
  Verdict no_value = Verdict::unknown;  // not_applicable or unknown, where there is no value
  std::string reason;                   // why there is none
  std::string locked;                   // why a wrong value could not be changed here, if known
  std::optional<Severity> at_most;      // a wrong value here is no worse than this
  References references;                // what `<= c1` and the like compare with
  std::vector<std::string> offered;     // values that the host offers; empty: not known
  std::vector<std::string> claims;      // knob ids that a rival tuner writes (env.rivals)
  std::vector<Evidence> evidence;
  TargetTraits traits;
};

// Observations with the same verdict, value and reason.
using ObservationGroup = std::vector<const Observation*>;

enum class ValueKind { word, number, either };
constexpr auto names(ValueKind) {
  using K = ValueKind;
  return EnumNames<K, 3>{{{K::word, "word"}, {K::number, "number"}, {K::either, "word or number"}}};
}

struct Knob {
  std::string_view id;
  std::string_view title;
  std::string_view doc;  // markdown: what it is, what its values mean, how to look by hand
  std::string_view why;  // what changes if it is wrong, with where that was published or measured
  std::string_view unit = {};  // "us", "KiB"
  Scope scope = Scope::host;
  Risk risk = Risk::report_only;  // of writing it: report_only where Lanekeeper never does
  PowerCost power_cost = PowerCost::none;
  bool io_stall = false;  // a write freezes the drive's queue
  ValueKind kind = ValueKind::word;
  std::vector<std::string_view> words = {};       // all words it can be; empty: open
  std::vector<std::string_view> references = {};  // names that expectations may compare with
  // All targets on this host. An empty answer is one not_applicable finding for "host".
  std::vector<Observation> (*observe)(const Inventory&) = nullptr;
  // What to do where `wanted` is not met, for all of `group` (never empty); the exact command if
  // there is one.
  Remedy (*remedy)(const ObservationGroup& group, const Expectation& wanted) = nullptr;
};

// Sorted by id.
std::span<const Knob* const> knobs();
// Null if there is none.
const Knob* find_knob(std::string_view id);

}  // namespace lk
