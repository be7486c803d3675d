#include <array>
#include <cstdio>

#include "base/text.hpp"
#include "probes/link_verdict.hpp"
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

std::string now_text(const PathElement& end) {
  return link_text(end.link.speed_gts, end.link.width);
}

std::string able_text(const Hop& hop) {
  return link_text(hop.able_speed_gts, hop.able_width);
}

// Which files of one end are worth showing.
struct Shown {
  bool now = false;
  bool max_speed = false;
  bool max_width = false;
};

void show(std::vector<Evidence>& evidence, const PathElement& end, const Shown& shown) {
  const std::string base = "sys/bus/pci/devices/" + end.address + "/";
  const auto& link = end.link;
  if (shown.now) {
    evidence.push_back({base + "current_link_speed", speed_text(link.speed_gts)});
    evidence.push_back({base + "current_link_width", width_text(link.width)});
  }
  if (shown.max_speed) {
    evidence.push_back({base + "max_link_speed", speed_text(link.max_speed_gts)});
  }
  if (shown.max_width) {
    evidence.push_back({base + "max_link_width", width_text(link.max_width)});
  }
}

// What a link that is short of something runs at, and what its ends can do. The first path names
// the lower end, the last the upper one: the remedy takes the addresses from there.
std::vector<Evidence> shortfall(const Hop& hop) {
  const bool slow = hop.slow == true;
  const bool narrow = hop.narrow == true;
  std::vector<Evidence> evidence;
  show(evidence, *hop.lower, {true, slow, narrow});
  if (hop.upper == nullptr) return evidence;
  show(evidence, *hop.upper, {false, slow, narrow});
  if (hop.only_capped() == true) {
    evidence.push_back({"sys/bus/pci/devices/" + hop.upper->address + "/config",
                        "LNKCTL2 target speed " + speed_text(hop.upper->link.target_speed_gts)});
  }
  return evidence;
}

// A fault before a cap; of several links the one nearest to the root.
const Hop* worst_of(const std::vector<Hop>& hops) {
  const Hop* worst = nullptr;
  for (const auto& hop : hops) {
    if (!hop.short_of()) continue;
    const bool fault = hop.only_capped() != true;
    if (worst == nullptr || (fault && worst->only_capped() == true)) worst = &hop;
  }
  return worst;
}

Observation short_link(const std::string& target, const Hop& hop, bool own) {
  const bool capped = hop.only_capped() == true;
  auto seen = observed(target, std::string(capped ? "capped" : "degraded"), shortfall(hop));
  seen.detail = (own ? "" : "the link of " + hop.lower->address + ", a port above, runs at ") +
                now_text(*hop.lower) + " of " + able_text(hop);
  if (capped) seen.at_most = Severity::info;
  return seen;
}

Observation full_link(const std::string& target, const NvmeController& drive,
                      const std::vector<Hop>& hops) {
  const PathElement& own = drive.path.back();
  std::vector<Evidence> evidence;
  show(evidence, own, {true, true, true});
  std::string limit;
  if (const Hop* least = narrowest(hops); least != nullptr && least->upper != nullptr) {
    const Shown shown{false, least->able_speed_gts < own.link.max_speed_gts,
                      least->able_width < own.link.max_width};
    if (shown.max_speed || shown.max_width) {
      show(evidence, *least->upper, shown);
      limit = least->lower == &own
                  ? ", all that its port can do"
                  : ", behind a link that can do no more than " + able_text(*least);
    }
  }
  auto seen = observed(target, std::string("full"), std::move(evidence));
  seen.detail = now_text(own) + limit;
  return seen;
}

Observation look(const Inventory& inventory, const std::string& target,
                 const NvmeController& drive) {
  if (!drive.link.degraded) {
    if (is_foreign(drive)) return not_applicable(target, *drive.driver + " owns the function");
    if (is_virtual(inventory)) {
      return not_applicable(target, "the hypervisor shows no link of this drive");
    }
    return missing(inventory, target, "nvme.controllers[].link.degraded", hint_of(drive));
  }
  const auto hops = hops_of(drive.path);
  if (const Hop* worst = worst_of(hops)) {
    return short_link(target, *worst, worst->lower == &drive.path.back());
  }
  return full_link(target, drive, hops);
}

std::vector<Observation> observe(const Inventory& inventory) {
  return observe_drives(inventory, look);
}

// "0000:3b:00.0" of "sys/bus/pci/devices/0000:3b:00.0/config".
std::string address_in(const std::string& path) {
  const auto parts = split(path, '/');
  return parts.size() > 4 ? std::string(parts[4]) : std::string();
}

Remedy remedy(const ObservationGroup& group, const Expectation&) {
  const auto& seen = *group.front();
  const auto lower = address_in(seen.evidence.front().path);
  const auto upper = address_in(seen.evidence.back().path);
  const bool own = seen.target == target_of(Scope::nvme, lower);
  Remedy remedy;
  if (std::get<std::string>(*seen.value) == "capped") {
    remedy = firmware("The firmware set a lower target speed for port " + upper +
                      ": choose the full PCIe speed for its slot in the setup.");
  } else if (own) {
    remedy = firmware(
        "Reseat the drive, then its cable or carrier; try it in another slot to tell drive from "
        "slot. Check that the firmware does not bifurcate or limit the slot.");
  } else {
    remedy = firmware("The drives are not at fault: the link between port " + upper +
                      " and the switch port " + lower +
                      " above them is. Reseat the card, riser or backplane cable that carries the "
                      "switch. Check that the firmware does not bifurcate or limit its slot.");
  }
  remedy.command = "for each in " + upper + (upper == lower ? "" : " " + lower) +
                   "; do lspci -vv -s $each | grep -e LnkCap -e LnkSta -e LnkCtl2; done";
  return remedy;
}

}  // namespace

extern const Knob kNvmeLink;
const Knob kNvmeLink{
    .id = "nvme.link",
    .title = "PCIe link of the drive",
    .doc = R"(Whether every link from the root port to the drive runs at the speed and width that
both its ends can do (`current_link_speed` and `current_link_width` against `max_link_speed` and
`max_link_width` of both). Values: `full`; `degraded`; `capped` where a port's target speed was set
lower on purpose (LNKCTL2 in its configuration space, which root can read), which is never worse
than an information.

A drive in a slot that can do less than the drive is `full`: there is nothing to repair; the port's
maximum stands beside it. Where the link of a port above several drives is degraded, each of them
says so and names that port.

By hand: `lspci -vv -s <address> | grep -e LnkCap -e LnkSta -e LnkCtl2`)",
    .why =
        "A link that trained at half the width or speed halves what the drive can move, and "
        "nothing else reports it: the kernel logs it once at boot.",
    .scope = Scope::nvme,
    .words = {"full", "degraded", "capped"},
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
