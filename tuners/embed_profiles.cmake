# Writes OUT, a C++ file that holds the texts of PROFILES.
set(entries "")
set(count 0)
foreach(profile IN LISTS PROFILES)
  get_filename_component(name ${profile} NAME_WE)
  file(READ ${profile} text)
  string(APPEND entries "    {\"${name}\", R\"yaml(${text})yaml\"},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUT} "#include <array>

#include \"tuners/profile.hpp\"

namespace lk {

std::span<const BuiltinProfile> builtin_profiles() {
  static constexpr std::array<BuiltinProfile, ${count}> kProfiles{{
${entries}  }};
  return kProfiles;
}

}  // namespace lk
")
