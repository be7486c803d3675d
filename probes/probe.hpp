// A probe reads one part of the host into the Inventory. One file each; probe_table.cpp lists them
// in the order in which they run, so that later ones can use what earlier ones found.
#pragma once

#include <functional>
#include <set>
#include <span>

#include "base/root.hpp"
#include "base/text.hpp"
#include "probes/inventory.hpp"

namespace lk {

using Announce = std::function<void(const std::string& unit)>;

// Why a unit is left out; an empty `ended` means that it gave no answer in time.
struct Skip {
  std::string ended;  // "the reader was killed by signal 11 (Segmentation fault) while reading it"

  static constexpr std::string_view kSchema = "Skip";
  template <class Self = Skip>
  static constexpr auto fields() {
    return std::tuple{field("ended", &Self::ended, "how its reader ended; empty if it hung")};
  }
};

struct CollectOptions {
  // Units to leave out ("probe:irqs", "block:nvme0n1"): those that hung, or killed their reader.
  std::map<std::string, Skip> skip;
  std::map<std::string, std::int64_t> node_overrides;
  std::map<std::string, std::string> labels;
  bool ask_drives = false;  // read what the kernel can only tell by an admin command to the drive
  Announce announce = [](const std::string&) {};
};

// What a probe works with: the root, the inventory so far, and the book of problems.
//
// Reading helpers return nothing and write a Problem when there is no value: every null in an
// inventory has one. `field` is the value's place: member names joined by ".", "[]" for any list
// element, a map's key as it is: "nvme.controllers[].model", "kernel.sysctls.vm.swappiness". A
// Problem of a field also speaks for all nulls inside it. A file that does not exist is an ordinary
// answer (Cause::absent) unless there is no sysfs or procfs at all (Cause::unreadable); only
// denied, unreadable, malformed and hung ones make the probe's status "partial".
class ProbeContext {
 public:
  ProbeContext(const Root& from, Inventory& into, const CollectOptions& options);

  const Root& root;
  Inventory& inventory;
  const std::map<std::string, std::int64_t>& node_overrides;  // any name of a drive -> node
  const bool ask_drives;

  // Text without surrounding blanks and NULs. An empty file gives "".
  std::optional<std::string> text(const std::string& field, const std::string& path);
  // As text(), but an empty file is no value (Cause::absent).
  std::optional<std::string> word(const std::string& field, const std::string& path);
  std::optional<std::int64_t> integer(const std::string& field, const std::string& path);
  std::optional<bool> flag(const std::string& field, const std::string& path);
  std::optional<CpuSet> cpu_list(const std::string& field, const std::string& path);
  // "[none] mq-deadline", whose text is kept as that of `shown`, the path that findings name. A
  // missing bracket is a Problem (Cause::malformed).
  std::optional<Selector> selector(const std::string& field, const std::string& path,
                                   const std::string& shown);
  std::optional<CpuSet> cpu_mask(const std::string& field, const std::string& path);

  // Files that a host may or may not have, and whose absence leaves no null behind: no Problem
  // for ENOENT, one for anything else.
  std::optional<std::string> optional_text(const std::string& field, const std::string& path);
  // Names in a directory; a missing directory is an empty list, and a Problem only where all of
  // sysfs or procfs is missing.
  std::vector<std::string> list(const std::string& field, const std::string& path);

  // Keeps what a file said where the inventory only holds what it means ("16.0 GT/s PCIe", the
  // whole of "[none] mq-deadline"), so that findings can show it. `path` as findings name it.
  void keep_text(const std::string& path, std::string_view text);

  void problem(const std::string& field, const Error& error);
  void missing(const std::string& field, Cause cause, const std::string& message,
               const std::string& path = "", std::int64_t count = 1);

  // Before reading what a sick device could hang: names the work in hand ("block:nvme0n1") to the
  // process that waits for this one. False if it hung before: then leave it out, the Problem with
  // Cause::hung for `field` is already written.
  bool enter(const std::string& unit, const std::string& field);

  // The work in hand goes on; its deadline begins anew.
  void announce(const std::string& unit) const { options_.announce(unit); }

  // Whether enter() would say false; announces nothing.
  bool left_out(const std::string& unit) const { return options_.skip.contains(unit); }

  std::vector<Problem> take_problems();

  // Whether sys/ or proc/, whichever `path` is in, is there at all: a file that is missing from a
  // tree that is missing says nothing about the host.
  bool has_tree(std::string_view path) const;

 private:
  void book(const std::string& field, Cause cause, const Error& error);

  const CollectOptions& options_;
  std::vector<Problem> problems_;
  bool has_sys_;
  bool has_proc_;
};

struct Probe {
  std::string_view name;   // = file name = metric label
  std::string_view reads;  // for documentation: the main files
  void (*run)(ProbeContext&);
  // Whether the host has anything of this kind; null: always. Decides status "unavailable".
  bool (*available)(const Inventory&);
};

std::span<const Probe> probes();

// Runs every probe in this process. Callers that must live use Reader (reader.hpp) instead.
Inventory collect(const Root& root, const CollectOptions& options = {});

}  // namespace lk
