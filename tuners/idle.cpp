#include "tuners/idle.hpp"

#include <algorithm>

#include "tuners/observe.hpp"

namespace lk {

std::optional<std::int64_t> resume_limit(const Inventory& inventory, unsigned cpu) {
  for (const auto& limit : inventory.cpuidle.resume_limits) {
    if (limit.cpus.contains(cpu)) return limit.limit_us;
  }
  return std::nullopt;
}

IdleDepth idle_depth(const std::vector<IdleState>& states, std::int64_t limit_us) {
  IdleDepth depth;
  for (const auto& state : states) {
    if (!state.latency_us) continue;
    if (*state.latency_us > 0 && (!depth.c1_us || *state.latency_us < *depth.c1_us)) {
      depth.c1_us = state.latency_us;
    }
    if (state.disabled.value_or(false) || *state.latency_us > limit_us) continue;
    depth.latency_us = std::max(depth.latency_us.value_or(0), *state.latency_us);
    depth.index = std::max(depth.index, state.index);
    depth.state = state.name.value_or("state" + std::to_string(state.index));
  }
  return depth;
}

bool latency_limit_is_hidden(const Inventory& inventory) {
  if (inventory.cpuidle.latency_limit_us || !inventory.live) return false;
  const Problem* problem = find_problem(inventory, "cpuidle.latency_limit_us");
  return problem == nullptr ||
         (problem->cause != Cause::absent && problem->cause != Cause::not_applicable);
}

}  // namespace lk
