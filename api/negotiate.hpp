// The parts of HTTP semantics (RFC 9110) that every route shares.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lk {

// Absent if a % is not followed by two hexadecimal digits, or stands for NUL.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space = false);

// "a=1&b" -> {a,1}, {b,""}. Absent if it cannot be decoded.
std::optional<std::vector<std::pair<std::string, std::string>>> parse_query(std::string_view text);

// Whether an Accept header admits `type`; of several ranges that fit, the most specific decides.
bool accepts(std::string_view accept, std::string_view type);

// Whether an Accept-Encoding header names gzip, or * without forbidding gzip.
bool accepts_gzip(std::string_view accept_encoding);

// Whether an If-None-Match header names `etag`, compared weakly.
bool etag_matches(std::string_view if_none_match, std::string_view etag);

// A strong tag of the text itself, for what has no generation.
std::string content_etag(std::string_view text);

}  // namespace lk
