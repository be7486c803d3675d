#include "base/moment.hpp"

#include <array>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <optional>

namespace lk {

namespace {

using std::chrono::sys_days;

constexpr std::int64_t kDay = 86400;
constexpr std::string_view kDate = "dddd-dd-dd";
constexpr std::string_view kTime = "dddd-dd-ddTdd:dd:dd";
constexpr std::string_view kOffset = "+dd:dd";

bool has_shape(std::string_view text, std::string_view shape) {
  if (text.size() != shape.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    const bool fits = shape[i] == 'd'   ? digit
                      : shape[i] == 'T' ? text[i] == 'T' || text[i] == 't'
                      : shape[i] == '+' ? text[i] == '+' || text[i] == '-'
                                        : text[i] == shape[i];
    if (!fits) return false;
  }
  return true;
}

int number(std::string_view text, std::size_t at, std::size_t size) {
  int out = 0;
  for (const char c : text.substr(at, size)) out = out * 10 + (c - '0');
  return out;
}

Error refused(std::string_view text, const char* wanted) {
  return Error{"\"" + std::string(text) + "\" is not " + wanted, {}, 0};
}

std::optional<std::int64_t> day_of(std::string_view text) {
  const std::chrono::year_month_day day{
      std::chrono::year(number(text, 0, 4)),
      std::chrono::month(static_cast<unsigned>(number(text, 5, 2))),
      std::chrono::day(static_cast<unsigned>(number(text, 8, 2)))};
  if (!day.ok() || number(text, 0, 4) < 1970) return std::nullopt;
  return sys_days(day).time_since_epoch().count() * kDay;
}

// What stands after the seconds: a fraction, then Z or an offset, in seconds.
std::optional<std::int64_t> offset_of(std::string_view rest) {
  if (rest.starts_with('.')) {
    std::size_t end = 1;
    while (end < rest.size() && std::isdigit(static_cast<unsigned char>(rest[end])) != 0) ++end;
    if (end == 1) return std::nullopt;
    rest.remove_prefix(end);
  }
  if (rest == "Z" || rest == "z") return 0;
  if (!has_shape(rest, kOffset)) return std::nullopt;
  const int hours = number(rest, 1, 2);
  const int minutes = number(rest, 4, 2);
  if (hours > 23 || minutes > 59) return std::nullopt;
  const int seconds = (hours * 60 + minutes) * 60;
  return rest[0] == '-' ? -seconds : seconds;
}

std::optional<std::int64_t> moment_of(std::string_view text) {
  if (!has_shape(text.substr(0, kTime.size()), kTime)) return std::nullopt;
  const auto day = day_of(text);
  const auto offset = offset_of(text.substr(kTime.size()));
  const int hours = number(text, 11, 2);
  const int minutes = number(text, 14, 2);
  const int seconds = number(text, 17, 2);
  // 60 is a leap second.
  if (!day || !offset || hours > 23 || minutes > 59 || seconds > 60) return std::nullopt;
  const int in_day = (hours * 60 + minutes) * 60 + seconds;
  return *day + in_day - *offset;
}

}  // namespace

std::string moment_text(std::int64_t seconds) {
  const std::chrono::sys_seconds moment{std::chrono::seconds(seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(moment);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss time{moment - day};
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()),
                static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()));
  return text.data();
}

Result<std::int64_t> parse_moment(std::string_view text) {
  if (const auto moment = moment_of(text)) return *moment;
  return refused(text, "a time like 2026-12-31T08:00:00Z (RFC 3339)");
}

Result<std::int64_t> parse_end(std::string_view text) {
  const auto moment = has_shape(text, kDate) ? day_of(text) : moment_of(text);
  if (moment) return has_shape(text, kDate) ? *moment + kDay : *moment;
  return refused(text, "a date like 2026-12-31 or a time like 2026-12-31T08:00:00Z (RFC 3339)");
}

std::int64_t now_seconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::floor<std::chrono::seconds>(now).count();
}

}  // namespace lk
