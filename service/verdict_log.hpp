// Since when each target of each check has had its verdict, and what changed from one audit of a
// profile to the next.
#pragma once

#include <map>

#include "tuners/finding.hpp"

namespace lk {

// Targets of one check that turned from one verdict to another together.
struct VerdictChange {
  std::string profile;
  std::int64_t generation = 0;
  std::string check;
  Severity severity = Severity::info;
  std::vector<std::string> targets;
  std::optional<Verdict> from;  // null: the target is new
  std::optional<Verdict> to;    // null: the target is gone

  static constexpr std::string_view kSchema = "VerdictChange";
  template <class Self = VerdictChange>
  static constexpr auto fields() {
    return std::tuple{
        field("profile", &Self::profile, "that was audited"),
        field("generation", &Self::generation, "of the inventory"),
        field("check", &Self::check, "the check's id"),
        field("severity", &Self::severity, "of a fail"),
        field("targets", &Self::targets, "that changed together, compact"),
        field("from", &Self::from, "the verdict before; null: the target is new"),
        field("to", &Self::to, "the verdict now; null: the target is gone"),
    };
  }
};

class VerdictLog {
 public:
  // Fills in Finding::since: the moment from which on every target of the finding has had the
  // verdict without a break, as far as this log has seen. `now` is UTC, RFC 3339. Gives what
  // changed since the last audit of the profile; nothing for the first one.
  std::vector<VerdictChange> stamp(Audit& audit, const std::string& now);

 private:
  struct Entry {
    Verdict verdict = Verdict::unknown;
    Severity severity = Severity::info;
    std::string since;
  };
  using Key = std::pair<std::string, std::string>;  // check, target

  std::map<std::string, std::map<Key, Entry>> profiles_;
};

}  // namespace lk
