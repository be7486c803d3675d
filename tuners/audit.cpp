#include "tuners/audit.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/json_write.hpp"
#include "base/text.hpp"
#include "tuners/group.hpp"

namespace lk {

namespace {

bool any_matches(std::string_view wanted, std::string_view value) {
  const auto globs = split(wanted, '|');
  return !value.empty() && std::any_of(globs.begin(), globs.end(), [&](std::string_view glob) {
    return glob_match(trim(glob), value);
  });
}

bool label_matches(std::string_view wanted, const std::map<std::string, std::string>& labels) {
  return std::any_of(labels.begin(), labels.end(), [&](const auto& label) {
    return any_matches(wanted, label.first + "=" + label.second);
  });
}

// The part of `where` that is the same for all targets. Returns the condition that fails.
std::optional<std::string> host_mismatch(const Check& check, const Inventory& inventory) {
  for (const auto& [key, wanted] : check.where) {
    const bool fits = key == "label" ? label_matches(wanted, inventory.labels)
                      : key == "virtualization"
                          ? any_matches(wanted, inventory.host.virtualization.value_or(""))
                          : true;
    if (!fits) return key + ": " + wanted;
  }
  return std::nullopt;
}

bool target_matches(const Check& check, const TargetTraits& traits) {
  const auto fits = [&](const std::string& key, const std::string& wanted) {
    if (key == "vendor") return any_matches(wanted, traits.vendor);
    if (key == "model") return any_matches(wanted, traits.model);
    if (key == "driver") return any_matches(wanted, traits.driver);
    if (key == "transport") return any_matches(wanted, traits.transport);
    if (key == "role") return any_matches(wanted, traits.role);
    if (key == "locality") return traits.drive_local;
    if (key == "owner") {
      return std::any_of(traits.owners.begin(), traits.owners.end(),
                         [&](const std::string& owner) { return any_matches(wanted, owner); });
    }
    return true;
  };
  return std::all_of(check.where.begin(), check.where.end(),
                     [&](const auto& each) { return fits(each.first, each.second); });
}

// Where a value is only what its file means, evidence shows what the file said.
std::vector<Observation> observe(const Knob& knob, const Inventory& inventory) {
  auto all = knob.observe(inventory);
  for (auto& seen : all) {
    for (auto& evidence : seen.evidence) {
      const auto text = inventory.file_texts.find(evidence.path);
      if (text != inventory.file_texts.end()) evidence.raw = text->second;
    }
  }
  return all;
}

std::vector<Finding> audit_check(const Check& check, const Inventory& inventory,
                                 std::span<const Waiver> waivers) {
  const Knob& knob = *find_knob(check.knob);
  if (const auto mismatch = host_mismatch(check, inventory)) {
    return {not_applicable_finding(check, knob, "the profile asks for it only where " + *mismatch)};
  }
  const auto all = observe(knob, inventory);
  if (all.empty()) {
    return {not_applicable_finding(check, knob, "the host has nothing of this kind")};
  }
  std::vector<const Observation*> chosen;
  for (const auto& seen : all) {
    const bool absent = !seen.value && seen.no_value == Verdict::not_applicable;
    if ((absent && seen.target == "host") || target_matches(check, seen.traits)) {
      chosen.push_back(&seen);
    }
  }
  if (chosen.empty()) {
    return {not_applicable_finding(check, knob,
                                   "nothing here fits the profile's " + where_text(check))};
  }
  return group_findings(check, knob, chosen, WaiverMatch(waivers, inventory, check.id));
}

// A rival tuner matters where this profile would write what it writes, and now has to.
void weigh_rivals(const Profile& profile, const Inventory& inventory,
                  std::span<const Waiver> waivers, Audit& audit) {
  std::set<std::string> to_write;
  for (const auto& finding : audit.findings) {
    const auto check = std::find_if(profile.checks.begin(), profile.checks.end(),
                                    [&](const Check& each) { return each.id == finding.check; });
    if (finding.verdict == Verdict::fail && check->tune != Tune::never) {
      to_write.insert(finding.knob);
    }
  }
  for (const auto& check : profile.checks) {
    const Knob& knob = *find_knob(check.knob);
    if (host_mismatch(check, inventory)) continue;
    for (const auto& seen : observe(knob, inventory)) {
      std::vector<std::string> contested;
      for (const auto& id : seen.claims) {
        if (to_write.contains(id)) contested.push_back(id);
      }
      if (contested.empty()) continue;
      contest(check, knob, seen, contested, WaiverMatch(waivers, inventory, check.id),
              audit.findings);
    }
  }
}

AuditSummary summarise(const std::vector<Finding>& findings) {
  AuditSummary summary;
  for (const auto& finding : findings) {
    switch (finding.verdict) {
      case Verdict::pass:
        ++summary.pass;
        break;
      case Verdict::fail:
        ++summary.fail;
        if (finding.waived) ++summary.waived;
        break;
      case Verdict::not_applicable:
        ++summary.not_applicable;
        break;
      case Verdict::locked:
        ++summary.locked;
        break;
      case Verdict::unknown:
        ++summary.unknown;
        break;
    }
  }
  return summary;
}

}  // namespace

Audit run_audit(const Inventory& inventory, const Profile& profile,
                const std::vector<std::string>& only, std::span<const Waiver> waivers) {
  Audit audit;
  audit.profile = profile.name;
  audit.generation = inventory.generation;
  audit.boot_id = inventory.boot_id;
  for (const auto& check : profile.checks) {
    auto findings = audit_check(check, inventory, waivers);
    std::move(findings.begin(), findings.end(), std::back_inserter(audit.findings));
  }
  weigh_rivals(profile, inventory, waivers, audit);
  if (!only.empty()) {
    std::erase_if(audit.findings, [&](const Finding& finding) {
      return std::find(only.begin(), only.end(), finding.check) == only.end();
    });
  }
  audit.summary = summarise(audit.findings);
  return audit;
}

int audit_exit_status(const Audit& audit, Severity level) {
  int status = 0;
  for (const auto& finding : audit.findings) {
    if (finding.severity < level) continue;
    if (finding.verdict == Verdict::fail && !finding.waived) return 1;
    if (finding.verdict == Verdict::locked || finding.verdict == Verdict::unknown) status = 3;
  }
  return status;
}

std::string audit_json(const Audit& audit, int indent) {
  return to_json(audit, indent);
}

}  // namespace lk
