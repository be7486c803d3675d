// proc/cpuinfo, whose form differs with every architecture.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/cpuset.hpp"

namespace lk {

struct CpuInfo {
  CpuSet processors;  // the online CPUs: "processor : 3", on s390 "processor 3: ..."
  std::optional<std::string> vendor;
  std::optional<std::string> model;
  std::optional<std::string> family;        // as printed; a number on x86 and ia64
  std::optional<std::string> model_number;  // as printed
  bool has_flags = false;                   // there is an x86 "flags" line
  bool hypervisor = false;                  // and it names the hypervisor bit
};

// Reads every processor number and the first processor's names; what a host does not print stays
// absent. Accepts the forms of x86, arm, arm64, ppc, s390, ia64, riscv and loongarch.
CpuInfo parse_cpuinfo(std::string_view text);

}  // namespace lk
