#include "probes/link_verdict.hpp"

#include <algorithm>

namespace lk {

namespace {

// What both ends of a link can do; nothing if an end does not say.
template <class T>
std::optional<T> lesser(const std::optional<T>& a, const std::optional<T>& b) {
  if (!a || !b) return std::nullopt;
  return std::min(*a, *b);
}

template <class T>
std::optional<bool> below(const std::optional<T>& now, const std::optional<T>& able) {
  if (!now || !able) return std::nullopt;
  return *now < *able;
}

// True if either is, false only if both are known to be.
std::optional<bool> either(std::optional<bool> a, std::optional<bool> b) {
  if (a == true || b == true) return true;
  if (!a || !b) return std::nullopt;
  return false;
}

Hop hop_between(const PathElement* upper, const PathElement& lower) {
  Hop hop;
  hop.upper = upper;
  hop.lower = &lower;
  const PortLink& own = lower.link;
  const PortLink& port = upper == nullptr ? own : upper->link;
  hop.able_speed_gts = lesser(own.max_speed_gts, port.max_speed_gts);
  hop.able_width = lesser(own.max_width, port.max_width);
  hop.slow = below(own.speed_gts, hop.able_speed_gts);
  hop.narrow = below(own.width, hop.able_width);
  return hop;
}

// Bits that carry data, of those sent: 8 of 10 up to 5 GT/s, then 128 of 130.
double capacity(const Hop& hop) {
  const double share = *hop.able_speed_gts < 8 ? 0.8 : 128.0 / 130.0;
  return *hop.able_speed_gts * share * static_cast<double>(*hop.able_width);
}

std::optional<bool> all_capped(const std::vector<Hop>& hops, std::optional<bool> degraded) {
  if (degraded != true) return degraded;
  std::optional<bool> capped = true;
  for (const auto& hop : hops) {
    if (!hop.short_of()) continue;
    const auto own = hop.only_capped();
    if (own == false) return false;
    if (!own) capped.reset();
  }
  return capped;
}

}  // namespace

std::optional<bool> Hop::only_capped() const {
  if (narrow == true) return false;
  if (slow == true) return lower->capped_by_firmware;
  return std::nullopt;
}

bool leads_up(PortKind kind) {
  return kind == PortKind::endpoint || kind == PortKind::switch_upstream;
}

bool leads_down(PortKind kind) {
  return kind == PortKind::root_port || kind == PortKind::switch_downstream;
}

std::vector<Hop> hops_of(const std::vector<PathElement>& path) {
  std::vector<Hop> hops;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const bool port_above = i > 0 && leads_down(path[i - 1].kind);
    if (i + 1 == path.size()) {
      // Without a port above (integrated or emulated functions) its own end is all there is.
      hops.push_back(hop_between(port_above ? &path[i - 1] : nullptr, path[i]));
    } else if (port_above && leads_up(path[i].kind)) {
      hops.push_back(hop_between(&path[i - 1], path[i]));
    }
  }
  return hops;
}

const Hop* narrowest(const std::vector<Hop>& hops) {
  if (hops.size() == 1) return &hops.front();
  const Hop* least = nullptr;
  for (const auto& hop : hops) {
    if (!hop.able_speed_gts || !hop.able_width) return nullptr;
    if (least == nullptr || capacity(hop) <= capacity(*least)) least = &hop;
  }
  return least;
}

std::optional<bool> is_capped(const PortLink& upper, const PortLink& lower) {
  const auto able = lesser(upper.max_speed_gts, lower.max_speed_gts);
  const auto now = lower.speed_gts ? lower.speed_gts : upper.speed_gts;
  if (!able) return std::nullopt;
  if (now && *now >= *able) return false;
  if (!upper.target_speed_gts) return std::nullopt;
  if (*upper.target_speed_gts >= *able) return false;
  if (!now) return std::nullopt;
  return *now == *upper.target_speed_gts;
}

DriveLink judge_link(const std::vector<PathElement>& path) {
  DriveLink verdict;
  if (path.empty()) return verdict;
  const PortLink& own = path.back().link;
  verdict.speed_gts = own.speed_gts;
  verdict.width = own.width;
  verdict.max_speed_gts = own.max_speed_gts;
  verdict.max_width = own.max_width;
  const auto hops = hops_of(path);
  if (const Hop* least = narrowest(hops)) {
    verdict.achievable_speed_gts = least->able_speed_gts;
    verdict.achievable_width = least->able_width;
  }
  verdict.degraded = false;
  for (const auto& hop : hops) {
    verdict.degraded = either(verdict.degraded, either(hop.slow, hop.narrow));
    if (hop.short_of()) verdict.degraded_at.push_back(hop.lower->address);
  }
  verdict.capped_by_firmware = all_capped(hops, verdict.degraded);
  return verdict;
}

}  // namespace lk
