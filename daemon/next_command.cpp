#include "daemon/command.hpp"

namespace lk {

std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string out = "'";
  for (const char each : word) out += each == '\'' ? std::string("'\\''") : std::string(1, each);
  return out + "'";
}

std::string next_command(const Arguments& arguments, const std::vector<std::string>& words) {
  std::string out = "lanekeeper";
  for (const auto& each : words) out += ' ' + shell_word(each);
  for (const char* option : {"root", "config", "profile"}) {
    const auto value = arguments.value(option);
    if (value) out += " --" + std::string(option) + ' ' + shell_word(*value);
  }
  return out;
}

}  // namespace lk
