// What differs between two inventories of one host and means something: firmware, kernel, a drive's
// node, slot or link, settings. What differs between any two boots (numbers of interrupts, device
// names, process ids, times, a few pages of memory) is left out; diff_rules.cpp says what is what.
#pragma once

#include "probes/inventory.hpp"

namespace lk {

// What a difference is about, in the order in which it is shown.
enum class Subject {
  machine,   // another host, or other hardware in it
  firmware,  // BIOS
  kernel,    // its version and command line
  drive,     // a drive that came, went, or has other firmware
  node,      // a drive's NUMA node, the nodes themselves
  slot,      // where a drive is plugged in
  link,      // PCIe speed, width, payload
  cpu,       // CPUs that came or went
  setting,   // what can be changed at run time
  use,       // who uses a drive, which services run
  health,    // a part that can be read no longer, or again
};
constexpr auto names(Subject) {
  using S = Subject;
  return EnumNames<S, 11>{{{S::machine, "machine"},
                           {S::firmware, "firmware"},
                           {S::kernel, "kernel"},
                           {S::drive, "drive"},
                           {S::node, "node"},
                           {S::slot, "slot"},
                           {S::link, "link"},
                           {S::cpu, "cpu"},
                           {S::setting, "setting"},
                           {S::use, "use"},
                           {S::health, "health"}}};
}

enum class Turn { added, removed, changed };
constexpr auto names(Turn) {
  using T = Turn;
  return EnumNames<T, 3>{{{T::added, "added"}, {T::removed, "removed"}, {T::changed, "changed"}}};
}

// One change of one field, however many objects share it.
struct Difference {
  Subject subject = Subject::setting;
  Turn turn = Turn::changed;
  std::string field;
  std::vector<std::string> targets;
  std::optional<std::string> from;
  std::optional<std::string> to;

  static constexpr std::string_view kSchema = "Difference";
  template <class Self = Difference>
  static constexpr auto fields() {
    return std::tuple{
        lk::field(
            "subject", &Self::subject,
            "machine, firmware, kernel, drive, node, slot, link, cpu, setting, use or health"),
        lk::field("turn", &Self::turn, "added, removed or changed"),
        lk::field("field", &Self::field, "in the inventory; [] for the element that a target is"),
        lk::field("targets", &Self::targets,
                  "the objects, by what they are called in both; empty: the host"),
        lk::field("from", &Self::from, "text, or JSON for lists and objects; null if added"),
        lk::field("to", &Self::to, "text, or JSON for lists and objects; null if removed"),
    };
  }
};

// A value that only one side knows is no difference of the host: another user may have looked.
struct Incomparable {
  std::string field;
  std::vector<std::string> targets;
  std::string unknown_in;

  static constexpr std::string_view kSchema = "Incomparable";
  template <class Self = Incomparable>
  static constexpr auto fields() {
    return std::tuple{
        lk::field("field", &Self::field, "in the inventory"),
        lk::field("targets", &Self::targets, "the objects; empty: the host"),
        lk::field("unknown_in", &Self::unknown_in, "from or to: the side that has no value"),
    };
  }
};

struct DiffSide {
  std::string boot_id;
  std::string collected_at;
  std::int64_t generation = 0;

  static constexpr std::string_view kSchema = "DiffSide";
  template <class Self = DiffSide>
  static constexpr auto fields() {
    return std::tuple{
        field("boot_id", &Self::boot_id, "of the inventory"),
        field("collected_at", &Self::collected_at, "of the inventory"),
        field("generation", &Self::generation, "of the inventory"),
    };
  }
};

struct InventoryDiff {
  DiffSide from;
  DiffSide to;
  std::vector<Difference> differences;
  std::vector<Incomparable> incomparable;

  static constexpr std::string_view kSchema = "InventoryDiff";
  template <class Self = InventoryDiff>
  static constexpr auto fields() {
    return std::tuple{
        field("from", &Self::from, "the older side"),
        field("to", &Self::to, "the newer side"),
        field("differences", &Self::differences,
              "by subject; what any two boots differ in is left out"),
        field("incomparable", &Self::incomparable, "values that only one side knows"),
    };
  }
};

InventoryDiff diff(const Inventory& from, const Inventory& to);

// Of inventories as JSON, which another version of Lanekeeper may have written: members that one
// side does not have are incomparable. The Error names the document that is none.
struct Document {
  std::string name;  // for messages
  std::string text;
};
Result<InventoryDiff> diff_documents(const Document& from, const Document& to);

// How a field ("nvme.controllers[].firmware") counts.
struct DiffRule {
  std::optional<Subject> subject;  // nullopt: it is left out
  double tolerance = 0;            // numbers that differ by less than this part are equal
};
DiffRule diff_rule(std::string_view field);

// The members by which elements of the list at `field` are known on both sides, "serial|id": the
// first that an element has. Empty: elements are compared by their places.
std::string_view diff_keys(std::string_view field);

}  // namespace lk
