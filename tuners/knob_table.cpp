// The one list of knobs. A new one is a file in knobs/ and two lines here, sorted by id.
#include <algorithm>
#include <array>

#include "tuners/knob.hpp"

namespace lk {

extern const Knob kCpuGovernor;
extern const Knob kKernelClocksource;
extern const Knob kMemSwappiness;
extern const Knob kNvmeState;
extern const Knob kNumaSrat;

namespace {

constexpr std::array kKnobs{
    &kCpuGovernor, &kKernelClocksource, &kMemSwappiness, &kNumaSrat, &kNvmeState,
};

}  // namespace

std::span<const Knob* const> knobs() {
  return kKnobs;
}

const Knob* find_knob(std::string_view id) {
  const auto found =
      std::find_if(kKnobs.begin(), kKnobs.end(), [&](const Knob* knob) { return knob->id == id; });
  return found == kKnobs.end() ? nullptr : *found;
}

}  // namespace lk
