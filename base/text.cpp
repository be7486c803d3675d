#include "base/text.hpp"

#include <algorithm>
#include <charconv>

namespace lk {

namespace {

// Not find_first_not_of: it calls memchr for each character, and this is asked a million times.
constexpr bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\0';
}

// Kernel files may hold a megabyte of rubbish; a message quotes the start of it.
std::string quoted(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string out = "\"";
  for (char c : text.substr(0, kMost)) out += (c >= ' ' && c <= '~') ? c : '.';
  return out + (text.size() > kMost ? "...\"" : "\"");
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const auto at = text.find(separator);
    pieces.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return pieces;
    text.remove_prefix(at + 1);
  }
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> pieces;
  std::size_t at = 0;
  for (;;) {
    while (at < text.size() && is_blank(text[at])) ++at;
    if (at == text.size()) return pieces;
    const std::size_t first = at;
    while (at < text.size() && !is_blank(text[at])) ++at;
    pieces.push_back(text.substr(first, at - first));
  }
}

Result<std::int64_t> parse_int(std::string_view text) {
  const auto digits = trim(text);
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (code != std::errc{} || end != digits.data() + digits.size()) {
    return Error{"not a number: " + quoted(digits), {}, 0};
  }
  return value;
}

Result<std::uint64_t> parse_hex(std::string_view text) {
  auto digits = trim(text);
  if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (code != std::errc{} || end != digits.data() + digits.size()) {
    return Error{"not a hexadecimal number: " + quoted(digits), {}, 0};
  }
  return value;
}

Result<bool> parse_bool(std::string_view text) {
  const auto word = trim(text);
  if (word == "1" || word == "Y" || word == "y") return true;
  if (word == "0" || word == "N" || word == "n") return false;
  return Error{"not a 0 or 1: " + quoted(word), {}, 0};
}

Selector parse_selector(std::string_view text) {
  Selector selector;
  for (auto word : words(text)) {
    const bool chosen = word.size() >= 2 && word.front() == '[' && word.back() == ']';
    if (chosen) word = word.substr(1, word.size() - 2);
    selector.offered.emplace_back(word);
    if (chosen) selector.chosen = std::string(word);
  }
  return selector;
}

Result<double> parse_link_speed(std::string_view text) {
  const auto pieces = words(text);
  double value = 0;
  if (pieces.size() >= 2 && pieces[1] == "GT/s") {
    const auto number = pieces[0];
    const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (code == std::errc{} && end == number.data() + number.size() && value > 0) return value;
  }
  return Error{"not a link speed: " + quoted(trim(text)), {}, 0};
}

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(word.size() / 3, 2) + 1;
  for (const auto& candidate : known) {
    std::vector<std::size_t> row(candidate.size() + 1);
    for (std::size_t j = 0; j <= candidate.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        const std::size_t substitute = diagonal + (word[i - 1] == candidate[j - 1] ? 0 : 1);
        diagonal = row[j];
        row[j] = std::min({substitute, row[j] + 1, row[j - 1] + 1});
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

bool glob_match(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || (pattern[p] == text[t] && pattern[p] != '*'))) {
      ++p;
      ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto continues = [&](std::size_t i) {
    return i < text.size() && (byte(i) & 0xC0U) == 0x80;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return continues(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    if (!continues(1) || !continues(2)) return 0;
    if (lead == 0xE0 && byte(1) < 0xA0) return 0;
    if (lead == 0xED && byte(1) > 0x9F) return 0;
    return 3;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    if (lead == 0xF0 && byte(1) < 0x90) return 0;
    if (lead == 0xF4 && byte(1) > 0x8F) return 0;
    return 4;
  }
  return 0;
}

bool misleads(std::string_view sequence) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(sequence[i]); };
  if (sequence.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7F;
  if (sequence.size() == 2) return (byte(0) == 0xC2 && byte(1) < 0xA0) || sequence == "\u061C";
  // U+200E, 200F, 2028 to 202E, 2066 to 2069.
  if (sequence.size() != 3 || byte(0) != 0xE2) return false;
  if (byte(1) == 0x81) return byte(2) >= 0xA6 && byte(2) <= 0xA9;
  return byte(1) == 0x80 &&
         (byte(2) == 0x8E || byte(2) == 0x8F || (byte(2) >= 0xA8 && byte(2) <= 0xAE));
}

// How many bytes of printable ASCII the text begins with: most texts are nothing else.
std::size_t plain_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && text[length] >= ' ' && text[length] < '\x7f') ++length;
  return length;
}

std::string visible(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (;;) {
    const auto plain = plain_length(text);
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const auto length = utf8_length(text);
    const auto sequence = text.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0 || misleads(sequence)) {
      out += '?';
    } else {
      out += sequence;
    }
    text.remove_prefix(sequence.size());
  }
  return out;
}

std::string fnv_digest(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4) {
    out += "0123456789abcdef"[hash >> static_cast<unsigned>(shift) & 15U];
  }
  return out;
}

}  // namespace lk
