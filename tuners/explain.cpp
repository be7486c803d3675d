#include "tuners/explain.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace lk {

namespace {

constexpr std::size_t kMostNames = 8;

std::string joined(const std::vector<std::string>& texts, std::size_t most) {
  std::string out;
  for (std::size_t i = 0; i < std::min(most, texts.size()); ++i) {
    out += (i == 0 ? "" : ", ") + texts[i];
  }
  if (texts.size() > most) out += " and " + std::to_string(texts.size() - most) + " more";
  return out;
}

std::string verdict_text(const Finding& finding) {
  switch (finding.verdict) {
    case Verdict::pass:
      return "pass";
    case Verdict::fail:
      return finding.waived ? "FAIL (waived)" : "FAIL";
    case Verdict::not_applicable:
      return "not applicable";
    case Verdict::locked:
      return "LOCKED: wrong, and cannot be changed here";
    case Verdict::unknown:
      return "UNKNOWN";
  }
  return "";
}

std::string indented(std::string_view text, std::string_view indent) {
  std::string out;
  for (const auto line : split(text, '\n')) {
    out += (line.empty() ? "" : std::string(indent)) + std::string(line) + "\n";
  }
  return out;
}

std::string describe_remedy(const Remedy& remedy) {
  std::string out;
  if (!remedy.text.empty()) out += "    to do:    " + remedy.text + "\n";
  if (remedy.command) out += "    command:  " + *remedy.command + "\n";
  return out;
}

std::string describe_finding(const Finding& finding) {
  std::string out = "  " + verdict_text(finding) + " on " + joined(finding.targets, kMostNames);
  if (!finding.names.empty()) out += "\n    that is:  " + joined(finding.names, kMostNames);
  out += "\n";
  if (finding.actual) out += "    found:    " + *finding.actual + "\n";
  if (finding.verdict == Verdict::fail || finding.verdict == Verdict::locked) {
    out += "    expected: " + finding.expected + "\n";
  }
  if (finding.waiver) {
    out += "    waived:   until " + finding.waiver->expires + ", " + finding.waiver->reason +
           " (waiver " + finding.waiver->id + ")\n";
  }
  if (finding.reason) out += "    because:  " + *finding.reason + "\n";
  for (const auto& each : finding.evidence) {
    out += "    read:     /" + each.path + ": " + each.raw + "\n";
  }
  if (finding.evidence_more > 0) {
    out += "              and " + std::to_string(finding.evidence_more) + " more files\n";
  }
  return out + describe_remedy(finding.remedy);
}

std::string header(const Knob& knob, std::string_view id) {
  std::string out = std::string(id) + ": " + std::string(knob.title) + "\n\n";
  out += indented(knob.doc, "  ");
  if (knob.risk == Risk::report_only) return out + "\nchange at run time: never\n";
  out += "\nchange at run time: ";
  out += std::string(name_of(knob.risk)) + ", power cost " + std::string(name_of(knob.power_cost));
  return out + (knob.io_stall ? ", a write freezes the drive's queue\n" : "\n");
}

}  // namespace

std::string explain(const Audit& audit, const Profile& profile, std::string_view id) {
  const auto check = std::find_if(profile.checks.begin(), profile.checks.end(),
                                  [&](const Check& each) { return each.id == id; });
  const bool checked = check != profile.checks.end();
  const Knob* knob = find_knob(checked ? std::string_view(check->knob) : id);
  if (knob == nullptr) return {};
  std::string out = header(*knob, id);
  const bool own_why = checked && !check->why.empty();
  out += "why: " + (own_why ? check->why : std::string(knob->why)) + "\n\n";
  if (!checked) return out + "The profile " + profile.name + " does not check it.\n";
  out += "The profile " + profile.name +
         " expects: " + (check->expect ? check->expect->text : "nothing, it reports") + " (" +
         std::string(name_of(check->severity)) + ")\n";
  for (const auto& [key, wanted] : check->where)
    out += "  only where " + key + ": " + wanted + "\n";
  out += "\nFound:\n";
  for (const auto& finding : audit.findings) {
    if (finding.check == id) out += describe_finding(finding);
  }
  return out;
}

}  // namespace lk
