#include "service/verdict_log.hpp"

#include <algorithm>
#include <tuple>

#include "tuners/group.hpp"

namespace lk {

std::vector<VerdictChange> VerdictLog::stamp(Audit& audit, const std::string& now) {
  const bool first = !profiles_.contains(audit.profile);
  auto& known = profiles_[audit.profile];
  std::map<Key, Entry> next;
  using Turn = std::tuple<std::string, Severity, std::optional<Verdict>, std::optional<Verdict>>;
  std::map<Turn, std::vector<std::string>> turns;
  for (auto& finding : audit.findings) {
    std::string newest;
    for (auto& target : expand_targets(finding.targets)) {
      Key key{finding.check, std::move(target)};
      const auto old = known.find(key);
      const bool same = old != known.end() && old->second.verdict == finding.verdict;
      const auto& since = same ? old->second.since : now;
      newest = std::max(newest, since);
      if (!same) {
        const auto from = old == known.end() ? std::nullopt : std::optional(old->second.verdict);
        turns[{finding.check, finding.severity, from, finding.verdict}].push_back(key.second);
      }
      next[std::move(key)] = {finding.verdict, finding.severity, since};
    }
    if (!newest.empty()) finding.since = newest;
  }
  for (const auto& [key, entry] : known) {
    if (next.contains(key)) continue;
    turns[{key.first, entry.severity, entry.verdict, std::nullopt}].push_back(key.second);
  }
  known = std::move(next);
  std::vector<VerdictChange> changes;
  if (first) return changes;
  for (auto& [turn, targets] : turns) {
    const auto& [check, severity, from, to] = turn;
    changes.push_back({audit.profile, audit.generation, check, severity,
                       compact_targets(std::move(targets)), from, to});
  }
  return changes;
}

}  // namespace lk
