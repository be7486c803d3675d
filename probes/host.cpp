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
  if (const auto lockdown = context.word("host.lockdown", "sys/kernel/security/lockdown")) {
    host.lockdown = parse_selector(*lockdown).chosen;
    if (!host.lockdown) {
      context.missing("host.lockdown", Cause::malformed, "nothing is in brackets",
                      "sys/kernel/security/lockdown");
    }
  }
  host.tainted = context.integer("host.tainted", "proc/sys/kernel/tainted");
}

}  // namespace

extern const Probe kHost{"host", "proc/sys/kernel, proc/cmdline, sys/class/dmi/id", run, nullptr};

}  // namespace lk
