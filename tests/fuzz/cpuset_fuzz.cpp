#include "base/cpuset.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace lk;

// What is accepted comes back the same from its canonical form, as a list and as a mask.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text(data, size);
  for (const auto& set : {CpuSet::parse_list(text), CpuSet::parse_mask(text)}) {
    if (!set) continue;
    const auto list = set->to_list();
    const auto again = CpuSet::parse_list(list);
    fuzz::must(again.ok() && *again == *set, "a set's list is that set");
    fuzz::must(again->to_list() == list, "the list is canonical");
    fuzz::must(set->to_vector().size() == set->count(), "as many CPUs as it counts");
  }
  return 0;
}
