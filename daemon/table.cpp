#include "daemon/table.hpp"

#include <algorithm>
#include <numeric>

#include "base/text.hpp"

namespace lk {

namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeastColumn = 12;

std::string line_of(const Terminal& terminal, const std::vector<Column>& columns,
                    const std::vector<std::size_t>& widths, const std::vector<std::string>& texts,
                    const std::vector<Ink>& inks) {
  std::string out;
  std::string pending;  // blanks that are written only if something follows
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (widths[i] == 0) continue;
    const auto taken = lk::columns(texts[i]);
    const std::string fill(widths[i] > taken ? widths[i] - taken : 0, ' ');
    if (columns[i].right) pending += fill;
    if (!texts[i].empty()) {
      out += pending + inked(terminal, inks[i], texts[i]);
      pending.clear();
    }
    if (!columns[i].right) pending += fill;
    pending += std::string(kGap, ' ');
  }
  return out;
}

}  // namespace

std::vector<std::size_t> Table::widths(const Terminal& terminal, std::size_t indent) const {
  std::vector<std::size_t> wanted(columns_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      wanted[i] = std::max(wanted[i], lk::columns(row[i].text));
    }
  }
  std::size_t shown = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (wanted[i] == 0) continue;
    wanted[i] = std::max(wanted[i], lk::columns(columns_[i].header));
    ++shown;
  }
  if (terminal.width == 0) return wanted;
  const auto total = [&] {
    return std::accumulate(wanted.begin(), wanted.end(), indent + (shown ? shown - 1 : 0) * kGap);
  };
  // The widest column that may shrink gives way, one character at a time.
  while (total() > terminal.width) {
    std::size_t widest = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].shrink && wanted[i] > kLeastColumn &&
          (widest == columns_.size() || wanted[i] > wanted[widest])) {
        widest = i;
      }
    }
    if (widest == columns_.size()) break;
    --wanted[widest];
  }
  return wanted;
}

std::string Table::render(const Terminal& terminal, std::size_t indent) const {
  const auto width = widths(terminal, indent);
  const std::string margin(indent, ' ');
  std::vector<std::string> texts;
  for (const auto& column : columns_) texts.push_back(column.header);
  const std::vector<Ink> bold(columns_.size(), Ink::bold);
  std::string out = margin + line_of(terminal, columns_, width, texts, bold) + '\n';
  for (const auto& row : rows_) {
    std::vector<std::vector<std::string>> cells;
    std::vector<Ink> inks;
    std::size_t height = 1;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const auto whole = wrap(row[i].text, columns_[i].shrink ? width[i] : 0);
      auto& lines = cells.emplace_back();
      for (const auto line : split(whole, '\n')) lines.emplace_back(line);
      height = std::max(height, lines.size());
      inks.push_back(row[i].ink);
    }
    for (std::size_t line = 0; line < height; ++line) {
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        texts[i] = line < cells[i].size() ? cells[i][line] : "";
      }
      out += margin + line_of(terminal, columns_, width, texts, inks) + '\n';
    }
  }
  return out;
}

}  // namespace lk
