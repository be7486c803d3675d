// What people see: colours only on a terminal and not under NO_COLOR, and text that a device or a
// captured tree supplied made harmless.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/text.hpp"

namespace lk {

struct Terminal {
  std::size_t width = 0;  // columns; 0: no limit (a pipe or a file)
  bool colour = false;
};

// Of standard output. COLUMNS wins over what the terminal says.
Terminal terminal();

enum class Ink { plain, bold, dim, red, yellow, green };
// For print(), which turns the marks in it into colours.
std::string inked(const Terminal& terminal, Ink ink, std::string_view text);

// Columns that UTF-8 text takes, one for each character.
std::size_t columns(std::string_view text);

// Text broken at blanks, or after commas, into lines of at most `width` columns (0: no limit);
// a piece that is longer stands alone.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent = 0);

// As print() writes it: lines, tabs and colours stay, all else is visible().
std::string printable(std::string_view text);
// To standard output, whole. A reader that went away (EPIPE) is no error.
Status print(std::string_view text);
// "lanekeeper: ..." to standard error.
void complain(std::string_view text);

}  // namespace lk
