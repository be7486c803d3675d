#include "daemon/units.hpp"

#include <fmt/format.h>

#include <array>

namespace lk {

namespace {

std::string scaled(double value, double step, const std::array<const char*, 6>& units, int digits) {
  std::size_t unit = 0;
  while (value >= step && unit + 1 < units.size()) {
    value /= step;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} {}", value, units[0])
                   : fmt::format("{:.{}f} {}", value, digits, units[unit]);
}

}  // namespace

std::string memory_text(std::int64_t bytes) {
  return scaled(static_cast<double>(bytes), 1024, {"B", "KiB", "MiB", "GiB", "TiB", "PiB"}, 1);
}

std::string disk_text(std::int64_t bytes) {
  return scaled(static_cast<double>(bytes), 1000, {"B", "kB", "MB", "GB", "TB", "PB"}, 2);
}

std::string plural(std::int64_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + ' ' + (count == 1 ? one : many);
}

std::string number_text(double number) {
  return fmt::format("{:g}", number);
}

}  // namespace lk
