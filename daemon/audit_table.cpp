#include "daemon/audit_table.hpp"

#include <algorithm>

#include "daemon/table.hpp"
#include "daemon/units.hpp"

namespace lk {

namespace {

constexpr std::size_t kMostTargets = 6;

bool is_quiet(const Finding& finding) {
  return finding.verdict == Verdict::pass || finding.verdict == Verdict::not_applicable;
}

// Worst first: what is to be done before what is only noted, then by severity.
bool before(const Finding* left, const Finding* right) {
  if (is_quiet(*left) != is_quiet(*right)) return is_quiet(*right);
  if (left->waived != right->waived) return right->waived;
  if (left->severity != right->severity) return left->severity > right->severity;
  return badness(left->verdict) < badness(right->verdict);
}

std::string actual_text(const Finding& finding) {
  if (finding.actual) return *finding.actual;
  if (finding.verdict == Verdict::not_applicable) return finding.reason.value_or("");
  return "unknown" + (finding.reason ? " (" + *finding.reason + ')' : "");
}

Ink verdict_ink(const Finding& finding) {
  switch (finding.verdict) {
    case Verdict::fail:
      if (finding.waived) return Ink::dim;
      return finding.severity == Severity::info      ? Ink::plain
             : finding.severity == Severity::warning ? Ink::yellow
                                                     : Ink::red;
    case Verdict::locked:
    case Verdict::unknown:
      return Ink::yellow;
    case Verdict::pass:
      return Ink::green;
    case Verdict::not_applicable:
      return Ink::dim;
  }
  return Ink::plain;
}

std::string targets_text(const Finding& finding, std::size_t most) {
  const auto& from = finding.names.empty() ? finding.targets : finding.names;
  std::string out;
  for (std::size_t i = 0; i < from.size() && i < most; ++i) out += (i == 0 ? "" : ", ") + from[i];
  if (from.size() > most) out += " and " + std::to_string(from.size() - most) + " more";
  return out;
}

std::string summary_line(const Audit& audit) {
  std::int64_t serious = 0;
  for (const auto& finding : audit.findings) {
    const bool open = finding.verdict == Verdict::fail && !finding.waived;
    serious += open && finding.severity >= Severity::warning ? 1 : 0;
  }
  const auto& sum = audit.summary;
  std::string out = std::to_string(sum.fail) + " fail";
  if (sum.fail > 0) out += " (" + std::to_string(serious) + " of them warning or critical)";
  if (sum.waived > 0) out += ", " + std::to_string(sum.waived) + " waived";
  if (sum.locked > 0) out += ", " + std::to_string(sum.locked) + " locked";
  if (sum.unknown > 0) out += ", " + std::to_string(sum.unknown) + " unknown";
  return out + ", " + std::to_string(sum.pass) + " pass, " + std::to_string(sum.not_applicable) +
         " not applicable";
}

// Who reads the table must see at once what was accepted, why, and until when.
std::string waivers_text(const std::vector<const Finding*>& findings, std::size_t width) {
  std::string out;
  for (const auto* finding : findings) {
    if (!finding->waiver) continue;
    const auto& waiver = *finding->waiver;
    out += wrap(visible("waived until " + waiver.expires + ": " + finding->check + " on " +
                        targets_text(*finding, kMostTargets) + ": " + waiver.reason),
                width) +
           '\n';
  }
  return out;
}

}  // namespace

std::string worst_check(const Audit& audit) {
  const Finding* worst = nullptr;
  for (const auto& finding : audit.findings) {
    if (worst == nullptr || before(&finding, worst)) worst = &finding;
  }
  return worst == nullptr || is_quiet(*worst) || worst->waived ? "" : worst->check;
}

std::string audit_text(const Audit& audit, const Inventory& inventory, bool all,
                       const std::string& next, const Terminal& terminal) {
  std::vector<const Finding*> findings;
  for (const auto& finding : audit.findings) {
    if (all || !is_quiet(finding)) findings.push_back(&finding);
  }
  std::stable_sort(findings.begin(), findings.end(), before);
  Table table({{"SEVERITY"},
               {"VERDICT"},
               {"CHECK"},
               {"EXPECTED", false, true},
               {"ACTUAL", false, true},
               {"TARGETS", false, true}});
  for (const auto* finding : findings) {
    const auto ink = verdict_ink(*finding);
    table.row({{std::string(name_of(finding->severity)), ink},
               {std::string(name_of(finding->verdict)) + (finding->waived ? ", waived" : ""), ink},
               {finding->check, ink},
               finding->expected,
               actual_text(*finding),
               targets_text(*finding, kMostTargets)});
  }
  const std::string title = "profile " + audit.profile + " on " +
                            inventory.host.hostname.value_or("a host of unknown name") +
                            (inventory.live ? "" : " [captured tree]");
  std::string out = inked(terminal, Ink::bold, visible(title)) + '\n';
  if (!table.empty()) out += table.render(terminal);
  out += waivers_text(findings, terminal.width);
  out += wrap(summary_line(audit), terminal.width) + '\n';
  return next.empty() ? out : out + "next: " + next + '\n';
}

}  // namespace lk
