#include <algorithm>

#include "tuners/idle.hpp"
#include "tuners/observe.hpp"

namespace lk {

namespace {

CpuSet polling_by_limit(const Inventory& inventory) {
  CpuSet cpus;
  for (const auto& limit : inventory.cpuidle.resume_limits) {
    if (limit.limit_us == 0) cpus |= limit.cpus;
  }
  return cpus;
}

std::vector<Observation> observe(const Inventory& inventory) {
  if (!inventory.host.cmdline) return {missing(inventory, "host", "host.cmdline")};
  const auto& limit = inventory.cpuidle.latency_limit_us;
  std::vector<Evidence> evidence;
  std::vector<std::string> causes;
  if (has_word(inventory.host.cmdline, "idle=poll")) {
    causes.emplace_back("idle=poll");
    evidence.push_back({"proc/cmdline", *inventory.host.cmdline});
  }
  if (limit) {
    evidence.push_back({"dev/cpu_dma_latency", std::to_string(*limit)});
    if (*limit == 0) causes.emplace_back("a host-wide latency limit of 0");
  }
  if (const auto cpus = polling_by_limit(inventory); !cpus.empty()) {
    causes.push_back("a latency limit of 0 on CPUs " + cpus.to_list());
    evidence.push_back({"sys/devices/system/cpu/cpu" + std::to_string(cpus.first()) +
                            "/power/pm_qos_resume_latency_us",
                        "n/a"});
  }
  if (causes.empty() && latency_limit_is_hidden(inventory)) {
    return {missing(inventory, "host", "cpuidle.latency_limit_us")};
  }
  if (evidence.empty()) evidence.push_back({"proc/cmdline", *inventory.host.cmdline});
  auto seen = observed("host", on_off(!causes.empty()), evidence);
  for (const auto& cause : causes) seen.detail += (seen.detail.empty() ? "" : ", ") + cause;
  for (const auto& holder : inventory.cpuidle.holders) {
    if (!causes.empty()) seen.detail += "; held open by " + holder;
  }
  return {seen};
}

Remedy remedy(const ObservationGroup& group, const Expectation&) {
  if (group.front()->detail.starts_with("idle=poll")) {
    auto remedy = boot("Take idle=poll off the kernel command line and reboot.");
    remedy.command = "cat /proc/cmdline";
    return remedy;
  }
  return runtime(
      "Find out who asked for a limit of 0 and make it ask for the latency of C1 "
      "instead (tuned: force_latency=cstate.id_no_zero:1).",
      "fuser -v /dev/cpu_dma_latency; "
      "grep . /sys/devices/system/cpu/cpu*/power/pm_qos_resume_latency_us");
}

}  // namespace

extern const Knob kIdlePolling;
const Knob kIdlePolling{
    .id = "idle.polling",
    .title = "Polling instead of idling",
    .doc =
        R"(Whether CPUs poll when idle: `idle=poll` on the kernel command line, a host-wide latency
limit of 0, or a per-CPU limit of `n/a` (which means 0 there, while 0 means no limit). Values: `on`,
`off`.

By hand: `cat /proc/cmdline; od -An -td4 /dev/cpu_dma_latency`)",
    .why =
        "A polling CPU takes execution slots from its sibling thread, keeps the package from "
        "turbo and burns full power around the clock (kernel documentation of idle=poll and "
        "cpuidle).",
    .words = {"on", "off"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
