// Finds what has the shape of an identifier or an address in a text. By hand: std::regex recurses
// for every byte of a match, and a captured tree may hold a word of a megabyte.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lk {

std::vector<std::string> find_uuids(std::string_view text);
std::vector<std::string> find_nqns(std::string_view text);
std::vector<std::string> find_euis(std::string_view text);  // digits after "eui.", "naa."
std::vector<std::string> find_macs(std::string_view text);
// Without loopback and "any" addresses.
std::vector<std::string> find_ipv4(std::string_view text);
std::vector<std::string> find_ipv6(std::string_view text);

}  // namespace lk
