// Moments in UTC, as RFC 3339 writes them. Seconds since 1970; fractions are cut off.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace lk {

// "2026-12-31T23:59:59Z"; the years 1970 to 9999.
std::string moment_text(std::int64_t seconds);

// "2026-12-31T08:00:00Z", "2026-12-31T08:00:00.5+02:00". Error.what says what is wrong.
Result<std::int64_t> parse_moment(std::string_view text);

// Likewise, or a date: then the end of that day, so that what is good until a day is good on it.
Result<std::int64_t> parse_end(std::string_view text);

// By the system's clock.
std::int64_t now_seconds();

}  // namespace lk
