#include "api/route.hpp"

#include <grp.h>
#include <unistd.h>

#include <algorithm>

#include "api/negotiate.hpp"
#include "base/text.hpp"

namespace lk {

Operators operators_here() {
  Operators out{::geteuid(), std::nullopt};
  std::vector<char> text(std::size_t{64} << 10U);
  group entry{};
  group* found = nullptr;
  if (::getgrnam_r("lanekeeper", &entry, text.data(), text.size(), &found) == 0 &&
      found != nullptr) {
    out.group = found->gr_gid;
  }
  return out;
}

Access granted_to(const Peer& peer, const Operators& operators) {
  if (!peer.local || !peer.uid) return Access::reader;
  if (*peer.uid == 0 || *peer.uid == operators.user) return Access::operator_;
  const auto& groups = peer.groups;
  const bool member = operators.group &&
                      (peer.gid == operators.group ||
                       std::find(groups.begin(), groups.end(), *operators.group) != groups.end());
  return member ? Access::operator_ : Access::reader;
}

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
