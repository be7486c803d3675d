#include "probes/redact.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace lk {

namespace {

constexpr std::string_view kRedacted = "REDACTED";

bool is_secret(std::string_view key) {
  std::string name(key);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array<std::string_view, 9> kInside{"password",   "passwd", "passphrase",
                                                    "passwort",   "secret", "token",
                                                    "credential", "psk",    "apikey"};
  for (const auto word : kInside) {
    if (name.find(word) != std::string::npos) return true;
  }
  // "key" at the end of the name only: keymap= and keyboard= are none.
  return name.ends_with("key") || name.ends_with("pass") || name.ends_with("pw");
}

// "http://user:word@host/x" -> "http://REDACTED@host/x"
std::string without_user(std::string_view value) {
  const auto scheme = value.find("://");
  if (scheme == std::string_view::npos) return std::string(value);
  const auto start = scheme + 3;
  const auto end = std::min(value.find_first_of("/?#", start), value.size());
  const auto at = value.substr(0, end).rfind('@');
  if (at == std::string_view::npos || at < start) return std::string(value);
  return std::string(value.substr(0, start)) + std::string(kRedacted) +
         std::string(value.substr(at));
}

std::string redact_word(std::string_view word) {
  const auto equals = word.find('=');
  if (equals == std::string_view::npos) return without_user(word);
  if (!is_secret(word.substr(0, equals))) return without_user(word);
  return std::string(word.substr(0, equals + 1)) + std::string(kRedacted);
}

}  // namespace

std::string redact_cmdline(std::string_view cmdline) {
  std::string out;
  std::size_t start = 0;
  bool quoted = false;
  for (std::size_t at = 0; at <= cmdline.size(); ++at) {
    const char c = at < cmdline.size() ? cmdline[at] : ' ';
    if (c == '"') quoted = !quoted;
    const bool ends = at == cmdline.size() || (!quoted && (c == ' ' || c == '\t' || c == '\n'));
    if (!ends) continue;
    if (at > start) out += redact_word(cmdline.substr(start, at - start));
    if (at < cmdline.size()) out += c;
    start = at + 1;
  }
  return out;
}

}  // namespace lk
