// What the machine and the running kernel are.
#pragma once

#include "base/fields.hpp"

namespace lk {

struct Host {
  std::optional<std::string> hostname;
  std::optional<std::string> kernel;
  std::optional<std::string> cmdline;
  std::optional<std::string> vendor;
  std::optional<std::string> product;
  std::optional<std::string> bios_version;
  std::optional<std::string> bios_date;
  std::optional<std::string> virtualization;
  std::optional<std::string> lockdown;
  std::optional<std::int64_t> tainted;

  static constexpr std::string_view kSchema = "Host";
  template <class Self = Host>
  static constexpr auto fields() {
    return std::tuple{
        field("hostname", &Self::hostname, "proc/sys/kernel/hostname"),
        field("kernel", &Self::kernel, "proc/sys/kernel/osrelease"),
        field("cmdline", &Self::cmdline, "proc/cmdline, secrets redacted"),
        field("vendor", &Self::vendor, "sys/class/dmi/id/sys_vendor"),
        field("product", &Self::product, "sys/class/dmi/id/product_name"),
        field("bios_version", &Self::bios_version, "sys/class/dmi/id/bios_version"),
        field("bios_date", &Self::bios_date, "sys/class/dmi/id/bios_date"),
        field("virtualization", &Self::virtualization,
              "none, kvm, qemu, vmware, microsoft, xen, amazon, oracle, parallels, bochs, vm "
              "(a hypervisor of unknown kind) or container; systemd-detect-virt's words"),
        field("lockdown", &Self::lockdown,
              "none, integrity or confidentiality; sys/kernel/security/lockdown"),
        field("tainted", &Self::tainted, "bit mask; proc/sys/kernel/tainted"),
    };
  }
};

}  // namespace lk
