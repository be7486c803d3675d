#include <algorithm>

#include "base/text.hpp"
#include "probes/probe.hpp"

namespace lk {

namespace {

// What is known of a rival: the signs of its running, and the knobs that it writes (knob ids; the
// contract test of the knobs keeps them valid). kernel.md 12.
struct Rival {
  std::string name;
  std::string process;               // its name in proc/PID/comm: 15 characters at most
  std::vector<std::string> running;  // files that exist only while it runs
  std::string unit;                  // for those that leave no process behind
  std::vector<std::string> installed;
  std::string profile;  // the file that names its active profile
  std::vector<std::string> owns;
};

const std::vector<Rival> kRivals{
    {"tuned",
     "tuned",
     {"run/tuned/tuned.pid"},
     "tuned.service",
     {"etc/tuned/active_profile"},
     "etc/tuned/active_profile",
     {"blk.read_ahead", "blk.scheduler", "cpu.epb", "cpu.epp", "cpu.governor", "cpu.turbo",
      "idle.exit_latency", "kernel.watchdogs", "mem.dirty", "mem.numa_balancing", "mem.swappiness",
      "mem.thp", "mem.zone_reclaim", "uncore.range"}},
    {"tuned-ppd",
     "tuned-ppd",
     {},
     "tuned-ppd.service",
     {"etc/tuned/ppd.conf"},
     "",
     {"cpu.epb", "cpu.epp", "cpu.governor", "cpu.turbo"}},
    {"irqbalance", "irqbalance", {}, "irqbalance.service", {}, "", {"irq.queue_local"}},
    {"power-profiles-daemon",
     "power-profiles-",
     {},
     "power-profiles-daemon.service",
     {},
     "",
     {"cpu.epb", "cpu.epp", "cpu.governor", "cpu.turbo"}},
    {"tlp",
     "",
     {"run/tlp"},
     "tlp.service",
     {"etc/tlp.conf"},
     "",
     {"blk.scheduler", "cpu.epb", "cpu.epp", "cpu.governor", "cpu.turbo", "pcie.aspm_policy",
      "pcie.runtime_pm"}},
    {"thermald", "thermald", {}, "thermald.service", {}, "", {"cpu.turbo"}},
    {"auto-cpufreq",
     "auto-cpufreq",
     {},
     "auto-cpufreq.service",
     {"etc/auto-cpufreq.conf"},
     "",
     {"cpu.epp", "cpu.governor", "cpu.turbo"}},
    {"cpupower", "", {}, "cpupower.service", {}, "", {"cpu.epb", "cpu.governor"}},
    {"laptop-mode",
     "",
     {"run/laptop-mode-tools/enabled"},
     "laptop-mode.service",
     {"etc/laptop-mode/laptop-mode.conf"},
     "",
     {"blk.read_ahead", "cpu.governor", "mem.dirty", "pcie.runtime_pm"}},
    {"numad", "numad", {}, "numad.service", {"etc/numad.conf"}, "", {"workload.local"}},
    {"bpftune", "bpftune", {}, "bpftune.service", {}, "", {}},
};

struct Processes {
  bool known = false;
  std::map<std::string, std::string> by_name;  // comm -> "proc/812/comm"
};

// With hidepid= an ordinary user sees its own processes only; process 1 is then not among them.
Processes read_processes(ProbeContext& context) {
  Processes processes;
  bool first = false;
  bool any = false;
  for (const auto& name : context.list("tuners", "proc")) {
    if (!parse_int(name)) continue;
    any = true;
    first |= name == "1";
    const auto path = "proc/" + name + "/comm";
    const auto comm = context.root.read(path);
    if (comm) processes.by_name.try_emplace(std::string(trim(*comm)), path);
  }
  processes.known = first || (any && !context.root.is_live());
  if (!processes.known) {
    context.missing("tuners", any ? Cause::denied : Cause::absent,
                    any ? "other users' processes are hidden (hidepid): read as root"
                        : "no processes are shown",
                    "proc");
  }
  return processes;
}

// systemd keeps a link per unit for as long as the unit is active.
bool unit_active(const Root& root, const std::string& unit) {
  return root.link_target("run/systemd/units/invocation:" + unit).ok();
}

// tuned's stock profiles write less than all that it could.
std::vector<std::string> owned_by_tuned(const std::string& profile,
                                        const std::vector<std::string>& all) {
  const std::vector<std::string> power{"cpu.epb", "cpu.epp", "cpu.governor"};
  std::vector<std::string> owns = power;
  const auto add = [&](std::initializer_list<const char*> more) {
    owns.insert(owns.end(), more.begin(), more.end());
  };
  if (profile == "balanced") return owns;
  add({"cpu.turbo", "blk.read_ahead", "mem.dirty", "mem.swappiness"});
  if (profile == "throughput-performance" || profile == "virtual-guest" ||
      profile == "virtual-host" || profile == "network-throughput" ||
      profile == "accelerator-performance") {
    return owns;
  }
  return all;
}

std::optional<RivalTuner> look_for(ProbeContext& context, const Rival& rival,
                                   const Processes& processes) {
  const auto& root = context.root;
  RivalTuner found;
  found.name = rival.name;
  bool runs = false;
  const auto process = processes.by_name.find(rival.process);
  if (!rival.process.empty() && process != processes.by_name.end()) {
    runs = true;
    found.evidence.push_back(process->second);
    context.keep_text(process->second, process->first);
  }
  for (const auto& path : rival.running) {
    // A pid file may be left over: it counts alone only where no process list contradicts.
    if (!root.exists(path)) continue;
    found.evidence.push_back(path);
    runs |= rival.process.empty() || !processes.known;
  }
  if (unit_active(root, rival.unit)) {
    runs = true;
    found.evidence.push_back("run/systemd/units/invocation:" + rival.unit);
  }
  for (const auto& path : rival.installed) {
    if (root.exists(path)) found.evidence.push_back(path);
  }
  if (found.evidence.empty()) return std::nullopt;
  if (runs || processes.known) {
    found.active = runs;
  } else {
    context.missing("tuners[].active", Cause::absent, "no processes are shown", "proc");
  }
  if (rival.profile.empty()) {
    context.missing("tuners[].profile", Cause::not_applicable, rival.name + " has no such file");
  } else {
    found.profile = context.word("tuners[].profile", rival.profile);
  }
  found.owns = rival.owns;
  if (rival.name == "tuned" && found.profile) {
    found.owns = owned_by_tuned(*found.profile, rival.owns);
  }
  std::sort(found.owns.begin(), found.owns.end());
  return found;
}

void run(ProbeContext& context) {
  const auto processes = read_processes(context);
  for (const auto& rival : kRivals) {
    if (auto found = look_for(context, rival, processes)) {
      context.inventory.tuners.push_back(*std::move(found));
    }
  }
}

}  // namespace

extern const Probe kTuners{"tuners", "proc/*/comm, run/systemd/units, etc/tuned", run, nullptr};

}  // namespace lk
