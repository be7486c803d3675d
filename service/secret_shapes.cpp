#include "service/secret_shapes.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace lk {

namespace {

constexpr std::size_t kUuid = 36;
constexpr std::size_t kMac = 17;
constexpr std::size_t kLongestNqn = 223;  // NVMe base specification

bool is_hex(char c) {
  return std::isxdigit(static_cast<unsigned char>(c)) != 0;
}

bool is_uuid(std::string_view text) {
  for (std::size_t i = 0; i < kUuid; ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !is_hex(text[i])) return false;
  }
  return true;
}

bool is_mac(std::string_view text) {
  for (std::size_t i = 0; i < kMac; ++i) {
    if (i % 3 == 2 ? text[i] != ':' : !is_hex(text[i])) return false;
  }
  return true;
}

template <class Accept>
std::vector<std::string_view> runs(std::string_view text, Accept accept) {
  std::vector<std::string_view> out;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && accept(text[i])) continue;
    if (i > start) out.push_back(text.substr(start, i - start));
    start = i + 1;
  }
  return out;
}

}  // namespace

std::vector<std::string> find_uuids(std::string_view text) {
  std::vector<std::string> out;
  for (auto dash = text.find('-'); dash != text.npos; dash = text.find('-', dash + 1)) {
    if (dash < 8 || dash - 8 + kUuid > text.size()) continue;
    const auto candidate = text.substr(dash - 8, kUuid);
    if (!is_uuid(candidate)) continue;
    out.emplace_back(candidate);
    dash += kUuid - 9;
  }
  return out;
}

std::vector<std::string> find_nqns(std::string_view text) {
  std::vector<std::string> out;
  constexpr std::string_view kDiscovery = "nqn.2014-08.org.nvmexpress.discovery";  // no secret
  for (auto at = text.find("nqn."); at != text.npos; at = text.find("nqn.", at + 1)) {
    const auto rest = text.substr(at, kLongestNqn);
    const auto end = std::find_if(rest.begin(), rest.end(), [](char c) {
      return std::isspace(static_cast<unsigned char>(c)) != 0 || c == ',' || c == '"' ||
             c == '\'' || c == '\0' || c == '/';
    });
    const auto name = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
    if (name.size() > 16 && name != kDiscovery) out.emplace_back(name);
  }
  return out;
}

std::vector<std::string> find_euis(std::string_view text) {
  std::vector<std::string> out;
  for (const std::string_view prefix : {"eui.", "naa."}) {
    for (auto at = text.find(prefix); at != text.npos; at = text.find(prefix, at + 1)) {
      const auto rest = text.substr(at + prefix.size());
      const auto end = std::find_if_not(rest.begin(), rest.end(), is_hex);
      const auto digits = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
      if (digits.size() >= 16) out.emplace_back(digits);
    }
  }
  return out;
}

std::vector<std::string> find_macs(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at + kMac <= text.size(); ++at) {
    const auto end = at + kMac;
    const bool inside = (at > 0 && is_hex(text[at - 1])) ||
                        (end < text.size() && (is_hex(text[end]) || text[end] == ':'));
    if (inside || text[at + 2] != ':' || !is_mac(text.substr(at, kMac))) continue;
    out.emplace_back(text.substr(at, kMac));
    at += kMac - 1;
  }
  return out;
}

std::vector<std::string> find_ipv4(std::string_view text) {
  std::vector<std::string> out;
  for (const auto run : runs(text, [](char c) {
         return c == '.' || std::isdigit(static_cast<unsigned char>(c)) != 0;
       })) {
    const std::string word(run);
    in_addr address{};
    if (word.size() > 15 || ::inet_pton(AF_INET, word.c_str(), &address) != 1) continue;
    const auto first = ntohl(address.s_addr) >> 24U;
    if (first != 0 && first != 127 && first != 255) out.push_back(word);
  }
  return out;
}

std::vector<std::string> find_ipv6(std::string_view text) {
  std::vector<std::string> out;
  for (const auto run : runs(text, [](char c) { return c == ':' || is_hex(c); })) {
    const std::string word(run);
    in6_addr address{};
    if (word.size() < 4 || word.size() > 39) continue;
    if (::inet_pton(AF_INET6, word.c_str(), &address) == 1) out.push_back(word);
  }
  return out;
}

}  // namespace lk
