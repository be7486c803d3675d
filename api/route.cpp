#include "api/route.hpp"

#include "api/negotiate.hpp"
#include "base/text.hpp"

namespace lk {

bool match_pattern(std::string_view pattern, std::string_view path,
                   std::map<std::string, std::string, std::less<>>& arguments) {
  const auto wanted = split(pattern, '/');
  const auto given = split(path, '/');
  if (wanted.size() != given.size()) return false;
  std::map<std::string, std::string, std::less<>> found;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i].starts_with('{')) {
      if (wanted[i] != given[i]) return false;
      continue;
    }
    const auto value = percent_decode(given[i]);
    if (!value || value->empty()) return false;
    found.emplace(wanted[i].substr(1, wanted[i].size() - 2), *value);
  }
  arguments = std::move(found);
  return true;
}

}  // namespace lk
