#include "tuners/group.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.hpp"

namespace lk {

namespace {

constexpr std::size_t kMostEvidence = 6;

struct Judged {
  Verdict verdict = Verdict::unknown;
  Severity severity = Severity::info;
  std::optional<std::string> actual;
  std::string reason;
  const Waiver* waiver = nullptr;

  friend bool operator<(const Judged& a, const Judged& b) {
    const auto a_id = a.waiver_id();
    const auto b_id = b.waiver_id();
    return std::tie(a.verdict, a.severity, a.actual, a.reason, a_id) <
           std::tie(b.verdict, b.severity, b.actual, b.reason, b_id);
  }
  std::string_view waiver_id() const {
    return waiver == nullptr ? std::string_view() : std::string_view(waiver->id);
  }
};

std::string shown_value(const Observation& seen, const Knob& knob) {
  std::string text = to_text(*seen.value);
  if (!knob.unit.empty() && std::holds_alternative<std::int64_t>(*seen.value)) {
    text += " " + std::string(knob.unit);
  }
  return seen.detail.empty() ? text : text + " (" + seen.detail + ")";
}

Judged judge(const Check& check, const Knob& knob, const Observation& seen,
             const WaiverMatch& waivers) {
  Judged judged{seen.no_value, check.severity, std::nullopt, seen.reason};
  if (!seen.value) return judged;
  judged.actual = shown_value(seen, knob);
  judged.reason.clear();
  judged.verdict = Verdict::pass;
  const auto met = check.expect ? meets(*seen.value, *check.expect, seen.references) : Met::yes;
  if (met == Met::no_reference) {
    judged.verdict = Verdict::not_applicable;
    judged.reason =
        "this target has no \"" + to_text(check.expect->values.front()) + "\" to compare with";
  } else if (met == Met::no) {
    judged.verdict = seen.locked.empty() ? Verdict::fail : Verdict::locked;
    judged.reason = seen.locked;
    if (seen.at_most) judged.severity = std::min(judged.severity, *seen.at_most);
    if (judged.verdict == Verdict::fail) judged.waiver = waivers.find(seen.target);
  }
  return judged;
}

std::string expected_text(const Check& check) {
  return check.expect ? check.expect->text : "(reported)";
}

void add_evidence(const ObservationGroup& group, Finding& finding) {
  std::vector<Evidence> all;
  for (const Observation* seen : group) {
    for (const auto& each : seen->evidence) {
      const auto same = [&](const Evidence& other) {
        return other.path == each.path && other.raw == each.raw;
      };
      // Hundreds of targets may share one file; only neighbours are worth a look.
      const auto from = all.size() > kMostEvidence ? all.end() - kMostEvidence : all.begin();
      if (std::none_of(from, all.end(), same)) all.push_back(each);
    }
  }
  const auto shown = std::min(all.size(), kMostEvidence);
  finding.evidence_more = static_cast<std::int64_t>(all.size() - shown);
  all.resize(shown);
  finding.evidence = std::move(all);
}

Finding start_finding(const Check& check, const Knob& knob) {
  Finding finding;
  finding.check = check.id;
  finding.knob = check.knob;
  finding.severity = check.severity;
  finding.expected = expected_text(check);
  finding.why = check.why.empty() ? std::string(knob.why) : check.why;
  return finding;
}

void add_name(const std::string& name, std::vector<std::string>& names) {
  const bool known = std::find(names.begin(), names.end(), name) != names.end();
  if (!name.empty() && !known) names.push_back(name);
}

void waive(const Waiver* waiver, Finding& finding) {
  finding.waived = waiver != nullptr;
  finding.waiver.reset();
  if (finding.waived) finding.waiver = WaiverNote{waiver->id, waiver->reason, waiver->expires};
}

Finding make_finding(const Check& check, const Knob& knob, const Judged& judged,
                     const ObservationGroup& group) {
  Finding finding = start_finding(check, knob);
  finding.verdict = judged.verdict;
  finding.severity = judged.severity;
  finding.actual = judged.actual;
  if (!judged.reason.empty()) finding.reason = judged.reason;
  waive(judged.waiver, finding);
  finding.target_count = static_cast<std::int64_t>(group.size());
  for (const Observation* seen : group) {
    finding.targets.push_back(seen->target);
    add_name(seen->name, finding.names);
    for (const auto& each : seen->also) add_name(each, finding.names);
  }
  finding.targets = compact_targets(std::move(finding.targets));
  add_evidence(group, finding);
  if (finding.verdict == Verdict::fail || finding.verdict == Verdict::locked) {
    finding.remedy = knob.remedy(group, *check.expect);
  }
  return finding;
}

// "irq:0000:3b:00.0/7" -> {"irq:0000:3b:00.0/", 7}; "cpu:3" -> {"cpu:", 3}.
std::optional<std::pair<std::string, unsigned>> numbered(const std::string& target) {
  const auto at = target.find_last_of(":/");
  if (at == std::string::npos) return std::nullopt;
  const auto prefix = target.substr(0, at + 1);
  if (prefix.back() == ':' && prefix != "cpu:" && prefix != "policy:" && prefix != "node:") {
    return std::nullopt;
  }
  const auto number = parse_int(target.substr(at + 1));
  if (!number || *number < 0 || *number >= CpuSet::kMost) return std::nullopt;
  return std::pair(prefix, static_cast<unsigned>(*number));
}

}  // namespace

std::vector<std::string> compact_targets(std::vector<std::string> targets) {
  std::map<std::string, CpuSet> sets;
  std::vector<std::string> out;
  for (auto& target : targets) {
    if (const auto parts = numbered(target)) {
      sets[parts->first].add(parts->second);
    } else if (std::find(out.begin(), out.end(), target) == out.end()) {
      out.push_back(std::move(target));
    }
  }
  for (const auto& [prefix, set] : sets) out.push_back(prefix + set.to_list());
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> expand_targets(const std::vector<std::string>& compact) {
  std::vector<std::string> out;
  for (const auto& each : compact) {
    const auto at = each.find_last_of(":/");
    const auto list =
        at == std::string::npos ? std::string_view() : std::string_view(each).substr(at + 1);
    const bool several = list.find_first_of(",-") != std::string_view::npos;
    const auto set = several ? CpuSet::parse_list(list) : Result<CpuSet>(CpuSet());
    if (!several || !set) {
      out.push_back(each);
      continue;
    }
    for (const auto number : set->to_vector()) {
      out.push_back(each.substr(0, at + 1) + std::to_string(number));
    }
  }
  return out;
}

std::string where_text(const Check& check) {
  std::string text;
  for (const auto& [key, wanted] : check.where) {
    text += (text.empty() ? "" : ", ") + key + ": " + wanted;
  }
  return "where (" + text + ")";
}

Finding not_applicable_finding(const Check& check, const Knob& knob, const std::string& reason) {
  Finding finding = start_finding(check, knob);
  finding.verdict = Verdict::not_applicable;
  finding.targets = {"host"};
  finding.target_count = 1;
  finding.reason = reason;
  return finding;
}

std::vector<Finding> group_findings(const Check& check, const Knob& knob,
                                    const ObservationGroup& seen, const WaiverMatch& waivers) {
  std::map<Judged, ObservationGroup> groups;
  for (const Observation* each : seen) groups[judge(check, knob, *each, waivers)].push_back(each);
  std::vector<Finding> findings;
  findings.reserve(groups.size());
  for (const auto& [judged, group] : groups) {
    findings.push_back(make_finding(check, knob, judged, group));
  }
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return std::pair(badness(a.verdict), a.waived) < std::pair(badness(b.verdict), b.waived);
  });
  return findings;
}

void contest(const Check& check, const Knob& knob, const Observation& rival,
             const std::vector<std::string>& contested, const WaiverMatch& waivers,
             std::vector<Finding>& findings) {
  const auto actual = shown_value(rival, knob);
  std::string list;
  for (const auto& id : contested) list += (list.empty() ? "" : ", ") + id;
  for (auto& finding : findings) {
    if (finding.check != check.id || finding.actual != actual) continue;
    finding.verdict = Verdict::fail;
    waive(waivers.find(rival.target), finding);
    finding.severity = std::max(finding.severity, Severity::warning);
    finding.expected = "no rival that writes " + list;
    finding.remedy = knob.remedy({&rival}, check.expect.value_or(Expectation{}));
  }
}

}  // namespace lk
