#include "base/json_read.hpp"

#include <set>

#include "base/text.hpp"

namespace lk {

Result<Json> parse_json(std::string_view text, int depth) {
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  std::string refused;
  const auto watch = [&](int level, Json::parse_event_t event, Json& parsed) {
    if (level >= depth && refused.empty()) refused = "nested too deeply";
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && refused.empty() &&
        !keys.back().insert(parsed.get<std::string>()).second) {
      refused = "key \"" + parsed.get<std::string>() + "\" stands twice";
    }
    return refused.empty();
  };
  try {
    auto json = Json::parse(text, watch);
    if (!refused.empty()) return Error{"JSON refused: " + refused, {}, 0};
    return json;
  } catch (const Json::parse_error& error) {
    if (!refused.empty()) return Error{"JSON refused: " + refused, {}, 0};
    return Error{"not JSON, byte " + std::to_string(error.byte), {}, 0};
  }
}

std::string pointer_join(const std::string& parent, std::string_view key) {
  std::string out = parent + '/';
  for (char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

Error json_error(const std::string& pointer, const std::string& what) {
  return Error{what + " at", pointer, 0};
}

Error within(Error error, std::string_view key) {
  error.path = pointer_join("", key) + error.path;
  return error;
}

Error unknown_key(const std::string& pointer, const std::string& key,
                  const std::vector<std::string>& known) {
  std::string what = "unknown \"" + key + "\"";
  if (const auto near = nearest(key, known); !near.empty()) what += ", is \"" + near + "\" meant?";
  return json_error(pointer, what);
}

}  // namespace lk
