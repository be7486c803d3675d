// Numbers for people.
#pragma once

#include <cstdint>
#include <string>

namespace lk {

std::string memory_text(std::int64_t bytes);  // "64.0 GiB": as memory is sold
std::string disk_text(std::int64_t bytes);    // "3.84 TB": as drives are sold
std::string plural(std::int64_t count, const std::string& one, const std::string& many);
std::string number_text(double number);  // "8", "2.5"

}  // namespace lk
