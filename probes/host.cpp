#include "base/text.hpp"
#include "probes/probe.hpp"
#include "probes/redact.hpp"
#include "probes/virtualization.hpp"

namespace lk {

namespace {

void run(ProbeContext& context) {
  auto& host = context.inventory.host;
  host.hostname = context.word("host.hostname", "proc/sys/kernel/hostname");
  host.kernel = context.word("host.kernel", "proc/sys/kernel/osrelease");
  host.cmdline = context.text("host.cmdline", "proc/cmdline");
  if (host.cmdline) host.cmdline = redact_cmdline(*host.cmdline);
  host.vendor = context.word("host.vendor", "sys/class/dmi/id/sys_vendor");
  host.product = context.word("host.product", "sys/class/dmi/id/product_name");
  host.bios_version = context.word("host.bios_version", "sys/class/dmi/id/bios_version");
  host.bios_date = context.word("host.bios_date", "sys/class/dmi/id/bios_date");
  host.virtualization = detect_virtualization(context.root);
  if (!host.virtualization) {
    context.missing("host.virtualization", Cause::absent,
                    "nothing in proc/cpuinfo, DMI or the device tree tells");
  }
  host.tainted = context.integer("host.tainted", "proc/sys/kernel/tainted");
  const std::string lockdown = "sys/kernel/security/lockdown";
  if (!context.root.exists(lockdown) && context.root.exists("sys/kernel/security/lsm")) {
    context.missing("host.lockdown", Cause::not_applicable, "the kernel has no lockdown", lockdown);
    return;
  }
  if (auto found = context.selector("host.lockdown", lockdown, lockdown)) {
    host.lockdown = std::move(found->chosen);
  }
}

}  // namespace

extern const Probe kHost{"host", "proc/sys/kernel, proc/cmdline, sys/class/dmi/id", run, nullptr};

}  // namespace lk
