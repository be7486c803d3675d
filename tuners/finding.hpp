// What an audit says about one check. design.md 4.
#pragma once

#include "base/fields.hpp"

namespace lk {

enum class Verdict { unknown, pass, fail, not_applicable, locked };
constexpr auto names(Verdict) {
  using V = Verdict;
  return EnumNames<V, 5>{{{V::pass, "pass"},
                          {V::fail, "fail"},
                          {V::not_applicable, "not_applicable"},
                          {V::locked, "locked"},
                          {V::unknown, "unknown"}}};
}

// For sorting: 0 is what asks for action most.
constexpr int badness(Verdict verdict) {
  switch (verdict) {
    case Verdict::fail:
      return 0;
    case Verdict::locked:
      return 1;
    case Verdict::unknown:
      return 2;
    case Verdict::pass:
      return 3;
    case Verdict::not_applicable:
      return 4;
  }
  return 5;
}

enum class Severity { info, warning, critical };
constexpr auto names(Severity) {
  using S = Severity;
  return EnumNames<S, 3>{{{S::info, "info"}, {S::warning, "warning"}, {S::critical, "critical"}}};
}

enum class RemedyKind { none, runtime, boot, firmware };
constexpr auto names(RemedyKind) {
  using R = RemedyKind;
  return EnumNames<R, 4>{
      {{R::runtime, "runtime"}, {R::boot, "boot"}, {R::firmware, "firmware"}, {R::none, "none"}}};
}

// What to do about it. `command` is exact and can be pasted; empty where there is none.
struct Remedy {
  RemedyKind kind = RemedyKind::none;
  std::string text;
  std::optional<std::string> command;

  static constexpr std::string_view kSchema = "Remedy";
  template <class Self = Remedy>
  static constexpr auto fields() {
    return std::tuple{
        field("kind", &Self::kind, "runtime, boot (kernel command line), firmware (BIOS) or none"),
        field("text", &Self::text, "what to do"),
        field("command", &Self::command, "the exact next command; null where there is none"),
    };
  }
};

struct Evidence {
  std::string path;
  std::string raw;

  static constexpr std::string_view kSchema = "Evidence";
  template <class Self = Evidence>
  static constexpr auto fields() {
    return std::tuple{
        field("path", &Self::path, "the kernel file, without leading slash"),
        field("raw", &Self::raw, "what it said, or why it could not be read"),
    };
  }
};

// What holds for a finding that somebody accepts; see waiver.hpp.
struct WaiverNote {
  std::string id;
  std::string reason;
  std::string expires;

  static constexpr std::string_view kSchema = "WaiverNote";
  template <class Self = WaiverNote>
  static constexpr auto fields() {
    return std::tuple{
        field("id", &Self::id, "the waiver's, as GET /v1/waivers has it"),
        field("reason", &Self::reason, "why the fault is accepted"),
        field("expires", &Self::expires, "from then on it no longer holds, UTC"),
    };
  }
};

// Targets of one check that share verdict, value and waiver are one Finding.
struct Finding {
  std::string check;
  std::string knob;
  std::vector<std::string> targets;  // "policy:0", compact: "cpu:0-3,8"
  std::vector<std::string> names;    // how people call them: "nvme0 (SN123, 0000:3b:00.0)"
  std::int64_t target_count = 0;
  Verdict verdict = Verdict::unknown;
  Severity severity = Severity::info;
  bool waived = false;
  std::optional<WaiverNote> waiver;
  std::string expected;
  std::optional<std::string> actual;
  std::vector<Evidence> evidence;
  std::int64_t evidence_more = 0;
  Remedy remedy;
  std::string why;
  std::optional<std::string> reason;  // of not_applicable, locked, unknown
  std::optional<std::string> since;

  static constexpr std::string_view kSchema = "Finding";
  template <class Self = Finding>
  static constexpr auto fields() {
    return std::tuple{
        field("check", &Self::check, "the check's id in the profile"),
        field("knob", &Self::knob, "the knob that it looks at"),
        field("targets", &Self::targets,
              "where; targets of one verdict, value and waiver together"),
        field("names", &Self::names, "the targets as people call them"),
        field("target_count", &Self::target_count, "how many targets"),
        field("verdict", &Self::verdict, "pass, fail, not_applicable, locked or unknown"),
        field("severity", &Self::severity, "info, warning or critical"),
        field("waived", &Self::waived, "a waiver holds; the verdict stays"),
        field("waiver", &Self::waiver, "the one that holds; null if none does"),
        field("expected", &Self::expected,
              "as the profile says it; \"(reported)\" if it expects "
              "nothing"),
        field("actual", &Self::actual, "null if there is no value"),
        field("evidence", &Self::evidence, "files that were read, the first few"),
        field("evidence_more", &Self::evidence_more, "how many more there were"),
        field("remedy", &Self::remedy, "what to do"),
        field("why", &Self::why, "why it matters"),
        field("reason", &Self::reason, "why there is no pass or fail; null otherwise"),
        field("since", &Self::since, "when this verdict was first seen; null in a one-shot audit"),
    };
  }
};

struct AuditSummary {
  std::int64_t pass = 0;
  std::int64_t fail = 0;
  std::int64_t not_applicable = 0;
  std::int64_t locked = 0;
  std::int64_t unknown = 0;
  std::int64_t waived = 0;

  static constexpr std::string_view kSchema = "AuditSummary";
  template <class Self = AuditSummary>
  static constexpr auto fields() {
    return std::tuple{
        field("pass", &Self::pass, "findings that pass"),
        field("fail", &Self::fail, "findings that fail, waived or not"),
        field("not_applicable", &Self::not_applicable, "findings without hardware or driver"),
        field("locked", &Self::locked, "findings that cannot be changed here"),
        field("unknown", &Self::unknown, "findings without a value"),
        field("waived", &Self::waived, "those of `fail` that a waiver holds for"),
    };
  }
};

struct Audit {
  std::string profile;
  std::int64_t generation = 0;
  std::string boot_id;
  AuditSummary summary;
  std::vector<Finding> findings;

  static constexpr std::string_view kSchema = "Audit";
  template <class Self = Audit>
  static constexpr auto fields() {
    return std::tuple{
        field("profile", &Self::profile, "the profile's name"),
        field("generation", &Self::generation, "of the inventory that was audited"),
        field("boot_id", &Self::boot_id, "of the inventory that was audited"),
        field("summary", &Self::summary, "findings by verdict"),
        field("findings", &Self::findings,
              "in the profile's order, worst verdict of a check first"),
    };
  }
};

}  // namespace lk
