// Parsing of the small texts that kernel files hold. Strict: what does not parse whole is an
// Error, never a zero. Kernel files may end in a newline, in NULs (captured trees) or in nothing.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace lk {

// Without leading and trailing white space and NUL bytes.
std::string_view trim(std::string_view text);
std::vector<std::string_view> split(std::string_view text, char separator);
// Non-empty pieces between runs of spaces, tabs, newlines and NULs.
std::vector<std::string_view> words(std::string_view text);
// The pieces point into the text: a temporary would be gone in the first turn of a loop over them.
template <std::same_as<std::string> Temporary>
std::vector<std::string_view> split(Temporary&& text, char separator) = delete;
template <std::same_as<std::string> Temporary>
std::vector<std::string_view> words(Temporary&& text) = delete;

// Decimal, surrounded by white space at most.
Result<std::int64_t> parse_int(std::string_view text);
Result<std::uint64_t> parse_hex(std::string_view text);  // "0x1f" or "1f"

// "0"/"1" (also "Y"/"N", as module parameters print).
Result<bool> parse_bool(std::string_view text);

// A selector as block and ASPM files print it: "[none] mq-deadline" -> chosen "none".
struct Selector {
  std::optional<std::string> chosen;  // absent if nothing is in brackets
  std::vector<std::string> offered;   // all, in the file's order
};
Selector parse_selector(std::string_view text);

// "8.0 GT/s PCIe" -> 8.0; "Unknown" and the like -> Error.
Result<double> parse_link_speed(std::string_view text);

// The key of the list nearest to `word` by edit distance, empty if none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

// 16 hex digits of FNV-1a: tells texts apart, protects nothing.
std::string fnv_digest(std::string_view text);

// The length of the UTF-8 sequence that `text` (not empty) starts with; 0 if it is not well formed
// (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF).
std::size_t utf8_length(std::string_view text);

// Whether a well-formed sequence is a control character (C0, DEL, C1) or a mark that ends a line or
// changes the direction of writing.
bool misleads(std::string_view sequence);

// For terminals and logs: what misleads() and bytes that are no UTF-8 become '?'. What a device, a
// captured tree or a client says must not move a cursor, hide text or forge a line.
std::string visible(std::string_view text);

// Shell-style match with `*` and `?`; no character classes, no escapes.
bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace lk
