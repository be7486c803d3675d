#include "tuners/knob_docs.hpp"

namespace lk {

namespace {

template <class Words>
std::string coded(const Words& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "`" : ", `") + std::string(word) + "`";
  return text;
}

std::string written(const Knob& knob) {
  if (knob.risk == Risk::report_only) return "never";
  std::string text = knob.risk == Risk::safe ? "safe (no stall, exactly reversible)"
                                             : "disruptive (only with `max_risk: disruptive`)";
  text += ", power cost: " + std::string(name_of(knob.power_cost));
  return knob.io_stall ? text + ", a write freezes the drive's queue" : text;
}

}  // namespace

std::string knob_markdown(const Knob& knob) {
  std::string out = "## " + std::string(knob.id) + "\n\n**" + std::string(knob.title) + "**\n\n";
  out += std::string(knob.doc) + "\n\n";
  out += "Why: " + std::string(knob.why) + "\n\n";
  out += "- target: " + std::string(name_of(knob.scope)) + "\n";
  out += "- value: " + std::string(name_of(knob.kind));
  if (!knob.unit.empty()) out += ", in " + std::string(knob.unit);
  if (!knob.words.empty()) out += "; one of " + coded(knob.words);
  out += "\n";
  if (!knob.references.empty()) {
    out += "- an expectation may compare with: " + coded(knob.references) + "\n";
  }
  return out + "- change at run time: " + written(knob) + "\n";
}

std::string knobs_markdown() {
  std::string out =
      "# Knobs\n\n"
      "What Lanekeeper looks at, one entry for each file in `tuners/knobs/`. This page is written\n"
      "from them: change the knob, then run the tests with `UPDATE_GOLDEN=1`.\n"
      "`lanekeeper knobs show <id>` prints one entry, `lanekeeper explain <check>` also what was\n"
      "found on this host.\n\n"
      "| knob | what | target | written |\n|---|---|---|---|\n";
  for (const Knob* knob : knobs()) {
    std::string anchor(knob->id);
    std::erase(anchor, '.');
    out += "| [" + std::string(knob->id) + "](#" + anchor + ") | " + std::string(knob->title) +
           " | " + std::string(name_of(knob->scope)) + " | " +
           (knob->risk == Risk::report_only ? "never" : std::string(name_of(knob->risk))) + " |\n";
  }
  for (const Knob* knob : knobs()) out += "\n" + knob_markdown(*knob);
  return out;
}

}  // namespace lk
