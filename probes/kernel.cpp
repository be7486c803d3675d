#include "base/text.hpp"
#include "probes/probe.hpp"

namespace lk {

namespace {

constexpr const char* kSysctls[] = {
    "fs.aio-max-nr",
    "kernel.io_uring_disabled",
    "kernel.io_uring_group",
    "kernel.nmi_watchdog",
    "kernel.numa_balancing",
    "kernel.soft_watchdog",
    "kernel.timer_migration",
    "kernel.watchdog",
    "vm.dirty_background_bytes",
    "vm.dirty_background_ratio",
    "vm.dirty_bytes",
    "vm.dirty_expire_centisecs",
    "vm.dirty_ratio",
    "vm.dirty_writeback_centisecs",
    "vm.min_free_kbytes",
    "vm.stat_interval",
    "vm.swappiness",
    "vm.zone_reclaim_mode",
};

constexpr const char* kParameters[] = {
    "intel_idle.max_cstate",
    "intel_idle.states_off",
    "nvme.io_queue_depth",
    "nvme.noacpi",
    "nvme.poll_queues",
    "nvme.use_cmb_sqes",
    "nvme.use_threaded_interrupts",
    "nvme.write_queues",
    "nvme_core.admin_timeout",
    "nvme_core.default_ps_max_latency_us",
    "nvme_core.io_timeout",
    "nvme_core.iopolicy",
    "nvme_core.max_retries",
    "nvme_core.multipath",
    "pcie_aspm.policy",
    "processor.max_cstate",
    "workqueue.power_efficient",
};

std::string with_slashes(std::string_view name) {
  std::string path(name);
  for (char& c : path) {
    if (c == '.') c = '/';
  }
  return path;
}

void read_settings(ProbeContext& context) {
  auto& kernel = context.inventory.kernel;
  for (const std::string name : kSysctls) {
    kernel.sysctls[name] =
        context.integer("kernel.sysctls." + name, "proc/sys/" + with_slashes(name));
  }
  for (const std::string name : kParameters) {
    const auto dot = name.find('.');
    kernel.parameters[name] =
        context.text("kernel.parameters." + name,
                     "sys/module/" + name.substr(0, dot) + "/parameters/" + name.substr(dot + 1));
  }
}

void read_clocks(ProbeContext& context) {
  auto& kernel = context.inventory.kernel;
  const std::string dir = "sys/devices/system/clocksource/clocksource0/";
  kernel.clocksource = context.word("kernel.clocksource", dir + "current_clocksource");
  const auto offered = context.optional_text("kernel.clocksources", dir + "available_clocksource");
  if (!offered) return;
  for (const auto name : words(*offered)) kernel.clocksources.emplace_back(name);
}

void read_huge_pages(ProbeContext& context) {
  const std::string path = "sys/kernel/mm/transparent_hugepage/enabled";
  if (auto found = context.selector("kernel.thp", path, path)) {
    context.inventory.kernel.thp = std::move(found->chosen);
  }
}

void read_iommu(ProbeContext& context) {
  const std::string dir = "sys/kernel/iommu_groups";
  std::map<std::string, std::int64_t> types;
  for (const auto& group : context.list("kernel.iommu", dir)) {
    const auto type = context.word("kernel.iommu[].type", dir + '/' + group + "/type");
    if (type) ++types[*type];
  }
  for (const auto& [type, groups] : types) context.inventory.kernel.iommu.push_back({type, groups});
}

void read_vulnerabilities(ProbeContext& context) {
  const std::string dir = "sys/devices/system/cpu/vulnerabilities";
  for (const auto& name : context.list("kernel.vulnerabilities", dir)) {
    const auto text = context.text("kernel.vulnerabilities." + name, dir + '/' + name);
    if (text) context.inventory.kernel.vulnerabilities[name] = *text;
  }
}

void run(ProbeContext& context) {
  read_clocks(context);
  read_huge_pages(context);
  read_settings(context);
  read_iommu(context);
  read_vulnerabilities(context);
}

}  // namespace

extern const Probe kKernel{"kernel", "proc/sys, sys/module/*/parameters, sys/kernel", run, nullptr};

}  // namespace lk
