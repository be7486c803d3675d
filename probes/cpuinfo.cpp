#include "probes/cpuinfo.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.hpp"

namespace lk {

namespace {

// Arm's implementer codes (Main ID Register); the names are those that lscpu prints.
constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kImplementers{{
    {"0x41", "ARM"},
    {"0x42", "Broadcom"},
    {"0x43", "Cavium"},
    {"0x46", "FUJITSU"},
    {"0x48", "HiSilicon"},
    {"0x4e", "NVIDIA"},
    {"0x50", "APM"},
    {"0x51", "Qualcomm"},
    {"0x53", "Samsung"},
    {"0x61", "Apple"},
    {"0x69", "Intel"},
    {"0x6d", "Microsoft"},
    {"0xc0", "Ampere"},
}};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

void keep_first(std::optional<std::string>& into, std::string_view value) {
  if (!into && !value.empty()) into = std::string(value);
}

void add_processor(CpuInfo& info, std::string_view number) {
  const auto cpu = parse_int(number);
  if (cpu && *cpu >= 0 && *cpu < std::int64_t{CpuSet::kMost}) {
    info.processors.add(static_cast<unsigned>(*cpu));
  }
}

// Names that need a second look once the whole text is known.
struct Spare {
  std::optional<std::string> implementer, part, ppc_cpu, uarch, mvendor, processor_name, machine;
};

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

void take_processor(CpuInfo& info, Spare& spare, std::string_view key, std::string_view value) {
  if (key.size() > 9) {  // s390: "processor 0: version = FF, ..., machine = 2964"
    add_processor(info, key.substr(9));
    const auto at = value.find("machine = ");
    if (at != std::string_view::npos) keep_first(spare.machine, trim(value.substr(at + 10)));
  } else if (is_number(value)) {
    add_processor(info, value);
  } else {  // old 32-bit Arm: "Processor : ARMv7 Processor rev 4 (v7l)"
    keep_first(spare.processor_name, value);
  }
}

void take(CpuInfo& info, Spare& spare, std::string_view key, std::string_view value) {
  if (key == "vendor_id" || key == "vendor") {
    keep_first(info.vendor, value);
  } else if (key == "model name") {
    keep_first(info.model, value);
  } else if (key == "cpu family" || key == "family") {
    keep_first(info.family, value);
  } else if (key == "model") {
    keep_first(info.model_number, value);
  } else if (key == "flags") {
    if (info.has_flags) return;
    info.has_flags = true;
    const auto flags = words(value);
    info.hypervisor = std::find(flags.begin(), flags.end(), "hypervisor") != flags.end();
  } else if (key == "cpu implementer") {
    keep_first(spare.implementer, value);
  } else if (key == "cpu part") {
    keep_first(spare.part, value);
  } else if (key == "cpu") {
    keep_first(spare.ppc_cpu, value);
  } else if (key == "uarch") {
    keep_first(spare.uarch, value);
  } else if (key == "mvendorid") {
    keep_first(spare.mvendor, value);
  } else if (key == "machine") {
    keep_first(spare.machine, value);
  }
}

void settle(CpuInfo& info, const Spare& spare) {
  if (!info.vendor && spare.implementer) {
    const auto known =
        std::find_if(kImplementers.begin(), kImplementers.end(),
                     [&](const auto& each) { return each.first == lower(*spare.implementer); });
    info.vendor = known != kImplementers.end() ? std::string(known->second) : *spare.implementer;
  }
  if (!info.vendor) info.vendor = spare.mvendor;
  if (info.model) return;
  if (spare.ppc_cpu) {
    info.model = spare.ppc_cpu;
  } else if (spare.uarch) {
    info.model = spare.uarch;
  } else if (spare.processor_name) {
    info.model = spare.processor_name;
  } else if (spare.part) {
    info.model = "CPU part " + *spare.part;
  } else if (info.vendor == "IBM/S390" && spare.machine) {
    info.model = "machine " + *spare.machine;
  }
}

}  // namespace

CpuInfo parse_cpuinfo(std::string_view text) {
  CpuInfo info;
  Spare spare;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const auto name = trim(line.substr(0, colon));
    const auto value = trim(line.substr(colon + 1));
    // The numbers are needed of every processor, the names of the first only: most of the text.
    const bool processor = name.starts_with("processor") || name.starts_with("Processor");
    if (!processor && info.vendor && info.model && info.family && info.model_number &&
        info.has_flags) {
      continue;
    }
    if (processor) {
      take_processor(info, spare, name, value);
    } else {
      take(info, spare, lower(name), value);
    }
  }
  settle(info, spare);
  return info;
}

}  // namespace lk
