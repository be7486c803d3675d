#include "base/result.hpp"

#include <cstring>

namespace lk {

std::string errno_name(int err) {
  if (const char* name = strerrorname_np(err)) return name;
  return "errno " + std::to_string(err);
}

std::string Error::message() const {
  std::string text = what;
  if (!path.empty()) text += (text.empty() ? "" : " ") + path;
  if (err != 0)
    text += ": " + std::string(strerrordesc_np(err) ? strerrordesc_np(err) : "error") + " (" +
            errno_name(err) + ")";
  return text;
}

}  // namespace lk
