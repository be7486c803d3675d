#include "daemon/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <vector>

#include "base/text.hpp"

namespace lk {

namespace {

constexpr std::size_t kLeastWidth = 40;

// inked() marks, print() paints: whatever else looks like a colour or a cursor's movement came from
// outside.
const std::string kInkMark = "\x01";
constexpr std::string_view kPassing = "\n\t\x01";
constexpr std::array<std::string_view, 6> kInkCodes{"0", "1", "2", "31", "33", "32"};
static_assert(static_cast<std::size_t>(Ink::green) + 1 == kInkCodes.size());

// Pieces that stay together: words, and the parts of a long list.
std::vector<std::string_view> pieces(std::string_view text) {
  std::vector<std::string_view> out;
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ' ' && text[i] != ',') continue;
    if (text[i] == ',' && i + 1 < text.size() && text[i + 1] == ' ') continue;
    out.push_back(text.substr(start, i + 1 - start));
    start = i + 1;
  }
  out.push_back(text.substr(start));
  return out;
}

std::string_view without_blanks_at_end(std::string_view text) {
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

Terminal terminal() {
  Terminal out;
  const bool is_terminal = ::isatty(STDOUT_FILENO) == 1;
  winsize size{};
  if (is_terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) out.width = size.ws_col;
  if (const char* said = std::getenv("COLUMNS")) {
    const auto wanted = parse_int(said);
    if (wanted && *wanted > 0 && *wanted < 10000) out.width = static_cast<std::size_t>(*wanted);
  }
  if (out.width != 0) out.width = std::max(out.width, kLeastWidth);
  const char* no_colour = std::getenv("NO_COLOR");
  const char* kind = std::getenv("TERM");
  out.colour = is_terminal && (no_colour == nullptr || *no_colour == '\0') && kind != nullptr &&
               std::string_view(kind) != "dumb";
  return out;
}

std::string inked(const Terminal& terminal, Ink ink, std::string_view text) {
  if (!terminal.colour || ink == Ink::plain || text.empty()) return std::string(text);
  const std::string code(1, static_cast<char>('0' + static_cast<int>(ink)));
  return kInkMark + code + std::string(text) + kInkMark + '0';
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto plain = text.substr(0, text.find_first_of(kPassing));
    out += visible(plain);
    text.remove_prefix(plain.size());
    if (text.empty()) break;
    const auto ink = text.size() > 1 ? static_cast<std::size_t>(text[1] - '0') : kInkCodes.size();
    if (text[0] != kInkMark[0]) {
      out += text[0];
    } else if (ink < kInkCodes.size()) {
      out += "\x1b[" + std::string(kInkCodes[ink]) + 'm';
      text.remove_prefix(1);
    } else {
      out += '?';
    }
    text.remove_prefix(1);
  }
  return out;
}

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  if (width == 0 || columns(text) + indent <= width) return std::string(text);
  const std::string margin(indent, ' ');
  std::string out;
  std::string line;
  for (const auto piece : pieces(text)) {
    const auto wanted = indent + columns(line) + columns(without_blanks_at_end(piece));
    if (!line.empty() && wanted > width) {
      out += std::string(without_blanks_at_end(line)) + '\n' + margin;
      line.clear();
    }
    line += piece;
  }
  return out + std::string(without_blanks_at_end(line));
}

Status print(std::string_view raw) {
  const auto harmless = printable(raw);
  std::string_view text = harmless;
  while (!text.empty()) {
    const auto wrote = ::write(STDOUT_FILENO, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && errno == EPIPE) return ok_status();
    if (wrote < 0) return Error{"cannot write the output", {}, errno};
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return ok_status();
}

void complain(std::string_view text) {
  const std::string line = "lanekeeper: " + visible(text) + '\n';
  // There is nobody left to tell if this fails.
  [[maybe_unused]] const auto wrote = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace lk
