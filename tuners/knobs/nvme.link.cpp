#include <array>
#include <cstdio>

#include "tuners/observe.hpp"

namespace lk {

namespace {

std::string speed_text(const std::optional<double>& speed) {
  std::array<char, 32> number{"?"};
  if (speed) std::snprintf(number.data(), number.size(), "%g", *speed);
  return std::string(number.data()) + " GT/s";
}

std::string width_text(const std::optional<std::int64_t>& width) {
  return width ? std::to_string(*width) : "?";
}

std::string link_text(const std::optional<double>& speed,
                      const std::optional<std::int64_t>& width) {
  return speed_text(speed) + " x" + width_text(width);
}

std::vector<Evidence> evidence_of(const NvmeController& drive) {
  const std::string base = "sys/bus/pci/devices/" + drive.pci_address.value_or("") + "/";
  const auto& link = drive.link;
  return {{base + "current_link_speed", speed_text(link.speed_gts)},
          {base + "current_link_width", width_text(link.width)},
          {base + "max_link_speed", speed_text(link.max_speed_gts)},
          {base + "max_link_width", width_text(link.max_width)}};
}

Observation look(const Inventory& inventory, const std::string& target,
                 const NvmeController& drive) {
  const auto& link = drive.link;
  if (!link.degraded) {
    if (is_foreign(drive)) return not_applicable(target, *drive.driver + " owns the function");
    if (is_virtual(inventory)) {
      return not_applicable(target, "the hypervisor shows no link of this drive");
    }
    return missing(inventory, target, "nvme.controllers[].link.degraded", hint_of(drive));
  }
  const bool capped = *link.degraded && link.capped_by_firmware == true;
  auto seen = observed(target,
                       std::string(capped           ? "capped"
                                   : *link.degraded ? "degraded"
                                                    : "full"),
                       evidence_of(drive));
  seen.detail = link_text(link.speed_gts, link.width);
  if (*link.degraded) {
    seen.detail += " of " + link_text(link.achievable_speed_gts, link.achievable_width);
  }
  if (capped) seen.at_most = Severity::info;
  return seen;
}

std::vector<Observation> observe(const Inventory& inventory) {
  return observe_drives(inventory, look);
}

Remedy remedy(const ObservationGroup& group, const Expectation&) {
  const auto& value = std::get<std::string>(*group.front()->value);
  if (value == "capped") {
    return firmware(
        "The firmware set a lower target speed for this slot: choose the full PCIe "
        "speed for it in the setup.");
  }
  auto remedy = firmware(
      "Reseat the drive, then its cable or carrier; try it in another slot to tell drive from "
      "slot. Check that the firmware does not bifurcate or limit the slot.");
  const auto address = group.front()->target.substr(group.front()->target.find(':') + 1);
  remedy.command = "lspci -vv -s " + address + " | grep -e LnkCap -e LnkSta -e LnkCtl2";
  return remedy;
}

}  // namespace

extern const Knob kNvmeLink;
const Knob kNvmeLink{
    .id = "nvme.link",
    .title = "PCIe link of the drive",
    .doc = R"(Whether every link from the root port to the drive runs at the speed and width that
both its ends can do (`current_link_speed` and `current_link_width` against `max_link_speed` and
`max_link_width` of both). Values: `full`; `degraded`; `capped` where the firmware set a lower
target speed on purpose, which is never worse than an information.

A drive in a slot that can do less than the drive is `full`: there is nothing to repair.

By hand: `lspci -vv -s <address> | grep -e LnkCap -e LnkSta`)",
    .why =
        "A link that trained at half the width or speed halves what the drive can move, and "
        "nothing else reports it: the kernel logs it once at boot.",
    .scope = Scope::nvme,
    .words = {"full", "degraded", "capped"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
