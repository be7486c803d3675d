#include "probes/interrupts.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace lk {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

std::string_view skip_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

std::string_view take_word(std::string_view& text) {
  text = skip_blanks(text);
  std::size_t end = 0;
  while (end < text.size() && !is_blank(text[end])) ++end;
  const auto word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

// Passes `columns` counts and says whether any is not 0. Fewer counts than columns end it early.
bool pass_counts(std::string_view& text, std::size_t columns) {
  bool any = false;
  for (std::size_t i = 0; i < columns; ++i) {
    const auto rest = skip_blanks(text);
    std::size_t end = 0;
    bool nonzero = false;
    while (end < rest.size() && is_digit(rest[end])) nonzero |= rest[end++] != '0';
    if (end == 0 || (end < rest.size() && !is_blank(rest[end]))) break;
    any |= nonzero;
    text = rest.substr(end);
  }
  return any;
}

bool is_trigger(std::string_view word) {
  return word == "Level" || word == "Edge" || word == "None" || word == "level" || word == "edge";
}

// "524288-edge", "2-fasteoi", "0-edge" or a bare "27" (Arm: hardware number, then "Level").
bool is_hardware_number(std::string_view word) {
  const auto digits = std::find_if_not(word.begin(), word.end(), is_digit);
  return digits != word.begin() && (digits == word.end() || *digits == '-');
}

void take_names(std::string_view text, InterruptLine& line) {
  line.chip = std::string(take_word(text));
  for (;;) {
    auto rest = text;
    const auto word = take_word(rest);
    if (word.empty() || (!is_hardware_number(word) && !is_trigger(word))) break;
    if (!line.hardware && is_hardware_number(word)) {
      const auto number = parse_int(word.substr(0, word.find('-')));
      if (number) line.hardware = static_cast<std::uint64_t>(*number);
    }
    text = rest;
  }
  for (const auto action : split(trim(text), ',')) {
    if (!trim(action).empty()) line.actions.emplace_back(trim(action));
  }
}

std::string hex(std::uint64_t value, int digits) {
  std::string out;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
    out += "0123456789abcdef"[value >> static_cast<unsigned>(shift) & 15U];
  }
  return out;
}

// "0000:3b:00.0" at the end of a chip's name.
std::string address_in(std::string_view chip) {
  constexpr std::size_t kLength = 12;
  if (chip.size() < kLength) return {};
  const auto tail = chip.substr(chip.size() - kLength);
  const bool fits = tail[4] == ':' && tail[7] == ':' && tail[10] == '.';
  return fits ? std::string(tail) : std::string();
}

}  // namespace

std::optional<MsiVector> msi_vector(const InterruptLine& line) {
  if (!line.hardware || line.chip.find("MSI") == std::string::npos) return std::nullopt;
  if (auto address = address_in(line.chip); !address.empty()) {
    return MsiVector{std::move(address), static_cast<std::int64_t>(*line.hardware)};
  }
  if (!line.chip.ends_with("PCI-MSI") && line.chip != "ITS-MSI") return std::nullopt;
  const auto number = *line.hardware;
  const auto function = number >> 11U & 0xffffU;
  return MsiVector{hex(number >> 27U & 0xffffU, 4) + ':' + hex(function >> 8U, 2) + ':' +
                       hex(function >> 3U & 31U, 2) + '.' + hex(function & 7U, 1),
                   static_cast<std::int64_t>(number & 0x7ffU)};
}

void InterruptsParser::take(std::string_view line) {
  if (columns_ == 0) {
    for (const auto word : words(line)) columns_ += word.starts_with("CPU") ? 1U : 0U;
    return;
  }
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const auto number = parse_int(line.substr(0, colon));
  if (!number || *number < 0) return;
  line.remove_prefix(colon + 1);
  InterruptLine entry;
  entry.irq = *number;
  entry.fired = pass_counts(line, columns_);
  take_names(line, entry);
  lines_.push_back(std::move(entry));
}

void InterruptsParser::feed(std::string_view piece) {
  for (auto end = piece.find('\n'); end != std::string_view::npos; end = piece.find('\n')) {
    if (rest_.empty()) {
      take(piece.substr(0, end));
    } else {
      rest_ += piece.substr(0, end);
      take(rest_);
      rest_.clear();
    }
    piece.remove_prefix(end + 1);
  }
  rest_ += piece;
}

std::vector<InterruptLine> InterruptsParser::finish() {
  if (!rest_.empty()) take(rest_);
  return std::move(lines_);
}

std::vector<InterruptLine> parse_interrupts(std::string_view text) {
  InterruptsParser parser;
  parser.feed(text);
  return parser.finish();
}

}  // namespace lk
