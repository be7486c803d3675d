// Aligned tables for people.
#pragma once

#include <string>
#include <vector>

#include "daemon/terminal.hpp"

namespace lk {

struct Column {
  std::string header;
  bool right = false;   // numbers
  bool shrink = false;  // may be broken over several lines where the terminal is narrow
};

struct Cell {
  std::string text;
  Ink ink = Ink::plain;

  Cell(const std::string& from, Ink with = Ink::plain)  // NOLINT(google-explicit-constructor)
      : text(visible(from)), ink(with) {}
  Cell(const char* from) : text(from) {}  // NOLINT(google-explicit-constructor)
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void row(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  // Header and rows, each line ended. Columns that are empty in every row are left out.
  std::string render(const Terminal& terminal, std::size_t indent = 0) const;

 private:
  std::vector<std::size_t> widths(const Terminal& terminal, std::size_t indent) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace lk
