// CpuSet: a set of CPU (or node) numbers of any width.
//
// Reads what the kernel prints: lists ("0-3,8", "0, 1, 2" as in mq/N/cpu_list, an empty line for
// the empty set) and masks ("ff,,1" with short or empty groups, "00000000,0000000f"). Prints the
// canonical list. Numbers above kMost are refused, so that a broken file cannot cost gigabytes.
#pragma once

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace lk {

class CpuSet {
 public:
  static constexpr unsigned kMost = 1U << 16U;  // x86 stops at 8192, s390 and ia64 far below

  CpuSet() = default;
  CpuSet(std::initializer_list<unsigned> cpus);

  static Result<CpuSet> parse_list(std::string_view text);
  static Result<CpuSet> parse_mask(std::string_view text);
  static CpuSet range(unsigned first, unsigned last);  // both included

  void add(unsigned cpu);
  void remove(unsigned cpu);
  bool contains(unsigned cpu) const;
  bool empty() const { return words_.empty(); }
  std::size_t count() const;
  unsigned first() const;                   // of a set that is not empty
  std::vector<unsigned> to_vector() const;  // ascending

  bool intersects(const CpuSet& other) const;
  bool is_subset_of(const CpuSet& other) const;
  CpuSet& operator|=(const CpuSet& other);
  CpuSet& operator&=(const CpuSet& other);
  CpuSet& operator-=(const CpuSet& other);
  friend CpuSet operator|(CpuSet a, const CpuSet& b) { return a |= b; }
  friend CpuSet operator&(CpuSet a, const CpuSet& b) { return a &= b; }
  friend CpuSet operator-(CpuSet a, const CpuSet& b) { return a -= b; }
  friend bool operator==(const CpuSet&, const CpuSet&) = default;
  friend auto operator<=>(const CpuSet&, const CpuSet&) = default;

  std::string to_list() const;  // "0-3,8"; "" for the empty set

 private:
  void normalise();  // no trailing zero words, so that equal sets compare equal

  std::vector<std::uint64_t> words_;
};

}  // namespace lk
