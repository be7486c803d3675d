// Inventory: everything read from one host at one moment. A value: collected whole, never changed
// afterwards. design.md 3 is the contract; fields may be added, none renamed.
#pragma once

#include "probes/model/block.hpp"
#include "probes/model/cpu.hpp"
#include "probes/model/host.hpp"
#include "probes/model/irq.hpp"
#include "probes/model/kernel.hpp"
#include "probes/model/numa.hpp"
#include "probes/model/nvme.hpp"
#include "probes/model/pci.hpp"
#include "probes/model/power.hpp"

namespace lk {

// Why a value is null or a part is incomplete.
enum class Cause {
  absent,
  denied,
  unreadable,
  malformed,
  hung,
  not_applicable,
  not_asked,
  not_yet
};
constexpr auto names(Cause) {
  using C = Cause;
  return EnumNames<C, 8>{{{C::absent, "absent"},
                          {C::denied, "denied"},
                          {C::unreadable, "unreadable"},
                          {C::malformed, "malformed"},
                          {C::hung, "hung"},
                          {C::not_applicable, "not_applicable"},
                          {C::not_asked, "not_asked"},
                          {C::not_yet, "not_yet"}}};
}

// One cause for one field, however many objects it struck ("nvme.controllers[].slot", 24 times).
struct Problem {
  std::string field;
  Cause cause = Cause::absent;
  std::optional<std::string> path;   // the first one it struck
  std::optional<std::string> error;  // "ENOENT"
  std::string message;               // for people
  std::int64_t count = 1;

  static constexpr std::string_view kSchema = "Problem";
  template <class Self = Problem>
  static constexpr auto fields() {
    return std::tuple{
        lk::field("field", &Self::field, "the value that is missing, [] for any element of a list"),
        lk::field(
            "cause", &Self::cause,
            "absent (the kernel has no such file), denied, unreadable, malformed, hung (no "
            "answer in time), not_applicable, not_asked (reading it would send a command to a "
            "drive, and nobody asked for that), not_yet (Lanekeeper does not read it yet)"),
        lk::field("path", &Self::path, "the first file it struck"),
        lk::field("error", &Self::error, "errno's name"),
        lk::field("message", &Self::message, "for people"),
        lk::field("count", &Self::count, "how many objects it struck"),
    };
  }
};

enum class ProbeStatus { ok, partial, unavailable, failed };
constexpr auto names(ProbeStatus) {
  using S = ProbeStatus;
  return EnumNames<S, 4>{{{S::ok, "ok"},
                          {S::partial, "partial"},
                          {S::unavailable, "unavailable"},
                          {S::failed, "failed"}}};
}

struct ProbeReport {
  std::string name;
  ProbeStatus status = ProbeStatus::ok;
  std::int64_t duration_us = 0;
  std::vector<Problem> problems;

  static constexpr std::string_view kSchema = "ProbeReport";
  template <class Self = ProbeReport>
  static constexpr auto fields() {
    return std::tuple{
        field("name", &Self::name, "the probe; probes/<name>.cpp"),
        field("status", &Self::status,
              "ok; partial (some values denied, unreadable, malformed or hung); unavailable (the "
              "host has nothing of this kind); failed (no value at all)"),
        field("duration_us", &Self::duration_us, "time it took"),
        field("problems", &Self::problems, "why values are null"),
    };
  }
};

struct Inventory {
  std::int64_t generation = 0;
  std::string boot_id;
  std::string collected_at;
  bool live = false;
  std::map<std::string, std::string> labels;
  std::vector<ProbeReport> probes;
  Host host;
  Cpu cpu;
  Numa numa;
  Nvme nvme;
  std::vector<BlockDevice> block;
  Pci pci;
  Cpufreq cpufreq;
  Cpuidle cpuidle;
  std::optional<std::vector<UncoreDomain>> uncore;
  std::vector<Irq> irqs;
  Kernel kernel;
  std::vector<RivalTuner> tuners;
  std::optional<std::vector<Workload>> workloads;
  std::map<std::string, std::string> file_texts;

  static constexpr std::string_view kSchema = "Inventory";
  template <class Self = Inventory>
  static constexpr auto fields() {
    return std::tuple{
        field("generation", &Self::generation,
              "rises when something other than times and counters changed"),
        field("boot_id", &Self::boot_id,
              "proc/sys/kernel/random/boot_id; tree:<digest> on captures "
              "without one"),
        field("collected_at", &Self::collected_at, "UTC, RFC 3339"),
        field("live", &Self::live, "false on a captured tree"),
        field("labels", &Self::labels, "from the configuration"),
        field("probes", &Self::probes, "how each part was read"),
        field("host", &Self::host, "machine and kernel"),
        field("cpu", &Self::cpu, "processors"),
        field("numa", &Self::numa, "NUMA nodes"),
        field("nvme", &Self::nvme, "NVMe controllers and namespaces"),
        field("block", &Self::block, "all disks"),
        field("pci", &Self::pci, "PCI Express"),
        field("cpufreq", &Self::cpufreq, "CPU frequency"),
        field("cpuidle", &Self::cpuidle, "CPU idle states"),
        field("uncore", &Self::uncore, "uncore frequency domains"),
        field("irqs", &Self::irqs, "interrupts"),
        field("kernel", &Self::kernel, "kernel settings"),
        field("tuners", &Self::tuners, "rival services that write the same settings"),
        field("workloads", &Self::workloads, "who uses each drive, from where"),
        field("file_texts", &Self::file_texts,
              "by path: what a file said, where the value above is only what that means"),
    };
  }
};

// JSON with every field, absent values as null.
std::string inventory_json(const Inventory& inventory, int indent = 0);
// Strict: what inventory_json wrote comes back the same.
Result<Inventory> inventory_from_json(std::string_view text);
// Equal for two inventories that differ in times and counters at most.
std::string content_digest(const Inventory& inventory);

}  // namespace lk
