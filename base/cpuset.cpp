#include "base/cpuset.hpp"

#include <algorithm>
#include <bit>

#include "base/text.hpp"

namespace lk {

namespace {

constexpr unsigned kBits = 64;

Result<unsigned> parse_cpu(std::string_view text) {
  const auto number = parse_int(text);
  if (!number) return number.error();
  if (*number < 0 || *number >= std::int64_t{CpuSet::kMost}) {
    return Error{"CPU number out of range: " + std::to_string(*number), {}, 0};
  }
  return static_cast<unsigned>(*number);
}

}  // namespace

CpuSet::CpuSet(std::initializer_list<unsigned> cpus) {
  for (unsigned cpu : cpus) add(cpu);
}

Result<CpuSet> CpuSet::parse_list(std::string_view text) {
  CpuSet set;
  text = trim(text);
  if (text.empty()) return set;
  for (auto piece : split(text, ',')) {
    piece = trim(piece);
    const auto dash = piece.find('-');
    const auto first = parse_cpu(piece.substr(0, dash));
    if (!first) return first.error();
    const auto last = dash == std::string_view::npos ? first : parse_cpu(piece.substr(dash + 1));
    if (!last) return last.error();
    if (*last < *first) return Error{"CPU range runs backwards: " + std::string(piece), {}, 0};
    set |= range(*first, *last);
  }
  return set;
}

Result<CpuSet> CpuSet::parse_mask(std::string_view text) {
  text = trim(text);
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  if (text.empty()) return Error{"empty CPU mask", {}, 0};
  auto groups = split(text, ',');
  std::reverse(groups.begin(), groups.end());  // the kernel prints the highest group first
  CpuSet set;
  unsigned base = 0;
  for (auto group : groups) {
    group = trim(group);
    if (groups.size() > 1 && group.size() > 8) return Error{"CPU mask group too long", {}, 0};
    // A mask without commas may be longer than one group (irqbalance and BIOS tools print such).
    while (!group.empty()) {
      const auto digits = group.substr(group.size() > 8 ? group.size() - 8 : 0);
      group.remove_suffix(digits.size());
      const auto bits = parse_hex(digits);
      if (!bits) return bits.error();
      for (unsigned bit = 0; bit < 32; ++bit) {
        if ((*bits >> bit & 1U) == 0) continue;
        if (base + bit >= kMost) return Error{"CPU number out of range in mask", {}, 0};
        set.add(base + bit);
      }
      if (!group.empty()) base += 32;
    }
    base += 32;
  }
  return set;
}

CpuSet CpuSet::range(unsigned first, unsigned last) {
  CpuSet set;
  for (unsigned cpu = first; cpu <= last; ++cpu) set.add(cpu);
  return set;
}

void CpuSet::add(unsigned cpu) {
  if (words_.size() <= cpu / kBits) words_.resize(cpu / kBits + 1);
  words_[cpu / kBits] |= std::uint64_t{1} << (cpu % kBits);
}

void CpuSet::remove(unsigned cpu) {
  if (!contains(cpu)) return;
  words_[cpu / kBits] &= ~(std::uint64_t{1} << (cpu % kBits));
  normalise();
}

bool CpuSet::contains(unsigned cpu) const {
  return cpu / kBits < words_.size() && (words_[cpu / kBits] >> (cpu % kBits) & 1U) != 0;
}

std::size_t CpuSet::count() const {
  std::size_t total = 0;
  for (auto word : words_) total += static_cast<std::size_t>(std::popcount(word));
  return total;
}

unsigned CpuSet::first() const {
  unsigned base = 0;
  for (auto word : words_) {
    if (word != 0) return base + static_cast<unsigned>(std::countr_zero(word));
    base += kBits;
  }
  return base;
}

std::vector<unsigned> CpuSet::to_vector() const {
  std::vector<unsigned> cpus;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    for (auto word = words_[i]; word != 0; word &= word - 1) {
      cpus.push_back(static_cast<unsigned>(i) * kBits +
                     static_cast<unsigned>(std::countr_zero(word)));
    }
  }
  return cpus;
}

bool CpuSet::intersects(const CpuSet& other) const {
  const auto shared = std::min(words_.size(), other.words_.size());
  for (std::size_t i = 0; i < shared; ++i) {
    if ((words_[i] & other.words_[i]) != 0) return true;
  }
  return false;
}

bool CpuSet::is_subset_of(const CpuSet& other) const {
  return (*this - other).empty();
}

CpuSet& CpuSet::operator|=(const CpuSet& other) {
  if (words_.size() < other.words_.size()) words_.resize(other.words_.size());
  for (std::size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
  return *this;
}

CpuSet& CpuSet::operator&=(const CpuSet& other) {
  if (words_.size() > other.words_.size()) words_.resize(other.words_.size());
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  normalise();
  return *this;
}

CpuSet& CpuSet::operator-=(const CpuSet& other) {
  const auto shared = std::min(words_.size(), other.words_.size());
  for (std::size_t i = 0; i < shared; ++i) words_[i] &= ~other.words_[i];
  normalise();
  return *this;
}

std::string CpuSet::to_list() const {
  std::string text;
  const auto cpus = to_vector();
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i]);
    if (last > i) text += '-' + std::to_string(cpus[last]);
    i = last + 1;
  }
  return text;
}

void CpuSet::normalise() {
  while (!words_.empty() && words_.back() == 0) words_.pop_back();
}

}  // namespace lk
