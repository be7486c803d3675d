#include "api/negotiate.hpp"

#include <cstdint>

#include "api/http_guard.hpp"
#include "base/text.hpp"

namespace lk {

namespace {

int hex_digit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

// 2: the type itself, 1: "application/*", 0: "*/*", -1: does not fit.
int specificity(std::string_view range, std::string_view type) {
  if (range == type) return 2;
  if (range == "*/*") return 0;
  const bool family = range.ends_with("/*") && type.starts_with(range.substr(0, range.size() - 1));
  return family ? 1 : -1;
}

std::string_view opaque(std::string_view etag) {
  etag = trim(etag);
  return etag.starts_with("W/") ? etag.substr(2) : etag;
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0 || high + low == 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

std::optional<std::vector<std::pair<std::string, std::string>>> parse_query(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto part : split(text, '&')) {
    if (part.empty()) continue;
    const auto equals = part.find('=');
    const auto name = percent_decode(part.substr(0, equals), true);
    const auto value = equals == std::string_view::npos
                           ? std::optional<std::string>("")
                           : percent_decode(part.substr(equals + 1), true);
    if (!name || !value) return std::nullopt;
    out.emplace_back(*name, *value);
  }
  return out;
}

bool accepts_gzip(std::string_view accept_encoding) {
  std::optional<bool> any;
  for (const auto part : split(accept_encoding, ',')) {
    const auto pieces = split(part, ';');
    const auto coding = lower(trim(pieces[0]));
    bool taken = true;
    for (std::size_t i = 1; i < pieces.size(); ++i) {
      const auto parameter = lower(trim(pieces[i]));
      if (parameter.starts_with("q=")) {
        taken = parameter.find_first_not_of("0.", 2) != std::string::npos;
      }
    }
    if (coding == "gzip" || coding == "x-gzip") return taken;
    if (coding == "*") any = taken;
  }
  return any.value_or(false);
}

bool accepts(std::string_view accept, std::string_view type) {
  type = trim(type.substr(0, type.find(';')));
  int best = -1;
  bool wanted = false;
  for (const auto part : split(accept, ',')) {
    const auto pieces = split(part, ';');
    const auto fit = specificity(lower(trim(pieces[0])), type);
    if (fit <= best) continue;
    best = fit;
    wanted = true;
    for (std::size_t i = 1; i < pieces.size(); ++i) {
      const auto parameter = lower(trim(pieces[i]));
      // q=0, q=0.0 and so on: anything but zeros is a wish.
      if (parameter.starts_with("q=")) {
        wanted = parameter.find_first_not_of("0.", 2) != std::string::npos;
      }
    }
  }
  return wanted;
}

bool etag_matches(std::string_view if_none_match, std::string_view etag) {
  if (trim(if_none_match) == "*") return true;
  for (const auto each : split(if_none_match, ',')) {
    if (opaque(each) == opaque(etag)) return true;
  }
  return false;
}

std::string content_etag(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char each : text) {
    hash = (hash ^ static_cast<unsigned char>(each)) * 1099511628211U;
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "\"";
  for (int shift = 60; shift >= 0; shift -= 4) out += kDigits[(hash >> shift) & 15U];
  return out + '"';
}

}  // namespace lk
