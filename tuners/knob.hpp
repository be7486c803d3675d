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
  return EnumNames<Risk, 3>{{{Risk::safe, "safe"},
                             {Risk::disruptive, "disruptive"},
                             {Risk::report_only, "report_only"}}};
}

enum class PowerCost { none, some, high };
constexpr auto names(PowerCost) {
  return EnumNames<PowerCost, 3>{
      {{PowerCost::none, "none"}, {PowerCost::some, "some"}, {PowerCost::high, "high"}}};
}

// What a profile's `where` can choose by. Empty: the target has no such property.
struct TargetTraits {
  std::string vendor;
  std::string model;
  std::string driver;
  std::string transport;
  std::string role;                 // boot, data, unknown
  std::vector<std::string> owners;  // filesystem, swap, ...
  bool drive_local = false;         // a CPU or node that a drive is local to
};

// One target of a knob, as observed: a value, or a verdict and a reason in place of one.
struct Observation {
  std::string target;  // "policy:0", "nvme:0000:3b:00.0", "block:<wwid>"
  std::string name;    // for people: "nvme0 (SN123)"
  std::optional<Value> value;
  Verdict no_value = Verdict::unknown;  // not_applicable, locked or unknown, if there is no value
  std::string reason;
  std::vector<Evidence> evidence;
  TargetTraits traits;
};

struct Knob {
  std::string_view id;
  std::string_view title;
  std::string_view doc;   // markdown: what it is, what it costs, how to look by hand
  std::string_view why;   // what changes if it is wrong, with where that was published or measured
  std::string_view unit;  // "us", "KiB", ""
  Scope scope;
  Risk risk;  // of writing it: report_only where Lanekeeper never does
  PowerCost power_cost;
  bool io_stall;
  // All targets on this host. An empty answer is one not_applicable finding for "host".
  std::vector<Observation> (*observe)(const Inventory&);
  // What to do where `wanted` is not met; the exact command if there is one.
  Remedy (*remedy)(const Observation&, const Expectation& wanted);
};

std::span<const Knob* const> knobs();
const Knob* find_knob(std::string_view id);

}  // namespace lk
