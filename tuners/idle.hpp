// How deep CPUs may sleep, from their states and all limits together. kernel.md 3.
#pragma once

#include "tuners/knob.hpp"

namespace lk {

// No host-wide limit, as /dev/cpu_dma_latency prints it.
constexpr std::int64_t kNoLatencyLimit = 2'000'000'000;

// The per-CPU limit, absent where there is none.
std::optional<std::int64_t> resume_limit(const Inventory& inventory, unsigned cpu);

struct IdleDepth {
  std::optional<std::int64_t> latency_us;  // of the deepest state that may be entered
  std::optional<std::int64_t> c1_us;       // the shallowest latency that is not polling
  std::string state;                       // the deepest one's name
  std::int64_t index = 0;
};

// `limit_us`: the lowest of all limits. A state without a latency counts as not enterable.
IdleDepth idle_depth(const std::vector<IdleState>& states, std::int64_t limit_us);

// Whether a host-wide limit can be in force that the inventory does not show: the device exists
// and could not be read. On a capture and without the device there is none to know of.
bool latency_limit_is_hidden(const Inventory& inventory);

}  // namespace lk
