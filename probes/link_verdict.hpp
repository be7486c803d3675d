// What a drive's links say together: which of them run below what their two ends can do, and how
// much the whole path can carry. Pure.
#pragma once

#include "probes/model/pci.hpp"

namespace lk {

// One link on the path from the root complex to a drive.
struct Hop {
  const PathElement* upper = nullptr;    // the port above; null where none shows its end
  const PathElement* lower = nullptr;    // the drive, or a switch's upstream port
  std::optional<double> able_speed_gts;  // what both ends can do
  std::optional<std::int64_t> able_width;
  std::optional<bool> slow;    // runs below able_speed_gts; null if that cannot be told
  std::optional<bool> narrow;  // runs below able_width

  bool short_of() const { return slow == true || narrow == true; }
  // Short of nothing but the speed that firmware took away on purpose.
  std::optional<bool> only_capped() const;
};

// Whether a link leads up from it, or down.
bool leads_up(PortKind kind);
bool leads_down(PortKind kind);

// Root first; the last is the drive's own. They point into `path`.
std::vector<Hop> hops_of(const std::vector<PathElement>& path);
// The hop that carries least by what both its ends can do: the drive's own if several do. Null if
// there is no hop, or one of several does not tell.
const Hop* narrowest(const std::vector<Hop>& hops);

// Whether the link between two ends runs at a target speed that is below what both can do.
std::optional<bool> is_capped(const PortLink& upper, const PortLink& lower);

// The drive's values, and the verdict on every link of its path.
DriveLink judge_link(const std::vector<PathElement>& path);

}  // namespace lk
