#include "tuners/profile.hpp"

#include "tests/fuzz/fuzz.hpp"

using namespace lk;

// A profile is taken whole or refused with its file's name.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ProfileStore store(std::vector<std::string>{});
  const auto profile = store.parse(fuzz::text(data, size), "fuzz.yaml");
  if (!profile) {
    fuzz::must(profile.error().message().find("fuzz.yaml") != std::string::npos,
               "a refusal names the file");
    return 0;
  }
  for (const auto& check : profile->checks) {
    fuzz::must(!check.id.empty() && find_knob(check.knob) != nullptr, "checks of known knobs");
  }
  return 0;
}
