#include <algorithm>

#include "base/json_write.hpp"
#include "base/text.hpp"
#include "daemon/session.hpp"
#include "daemon/table.hpp"

namespace lk {

namespace {

struct KnobLine {
  std::string id;
  std::string title;
  std::string scope;
  std::string risk;
  std::string power_cost;
  bool io_stall = false;
  std::string unit;
  std::string doc;
  std::string why;

  static constexpr std::string_view kSchema = "KnobLine";
  template <class Self = KnobLine>
  static constexpr auto fields() {
    return std::tuple{field("id", &Self::id, "id"),
                      field("title", &Self::title, "one line"),
                      field("scope", &Self::scope, "what its targets are"),
                      field("risk", &Self::risk, "of writing it"),
                      field("power_cost", &Self::power_cost, "of the fast setting"),
                      field("io_stall", &Self::io_stall, "a write freezes the drive's queue"),
                      field("unit", &Self::unit, "of its value"),
                      field("doc", &Self::doc, "what it is"),
                      field("why", &Self::why, "why it matters")};
  }
};

KnobLine line_of(const Knob& knob) {
  return {std::string(knob.id),
          std::string(knob.title),
          std::string(name_of(knob.scope)),
          std::string(name_of(knob.risk)),
          std::string(name_of(knob.power_cost)),
          knob.io_stall,
          std::string(knob.unit),
          std::string(trim(knob.doc)),
          std::string(trim(knob.why))};
}

int list(const Arguments& arguments) {
  std::vector<KnobLine> lines;
  for (const auto* knob : knobs()) lines.push_back(line_of(*knob));
  if (arguments.json()) return show(to_json(lines, 2) + '\n');
  Table table({{"KNOB"}, {"SCOPE"}, {"RISK"}, {"POWER"}, {"STALLS I/O"}, {"WHAT", false, true}});
  for (const auto& line : lines) {
    table.row(
        {line.id, line.scope, line.risk, line.power_cost, line.io_stall ? "yes" : "", line.title});
  }
  return show(table.render(terminal()));
}

std::string paragraphs(const std::string& text, const Terminal& where) {
  std::string out;
  for (const auto line : split(text, '\n')) {
    out += "  " + wrap(visible(line), where.width, 2) + '\n';
  }
  return out;
}

int show_one(const Arguments& arguments) {
  const auto id = arguments.value("id").value_or("");
  const auto* knob = find_knob(id);
  if (knob == nullptr) {
    std::vector<std::string> known;
    for (const auto* each : knobs()) known.emplace_back(each->id);
    const auto near = nearest(id, known);
    return fail(
        Error{"unknown knob \"" + id + '"' +
                  (near.empty() ? " (try: lanekeeper knobs list)" : ", is \"" + near + "\" meant?"),
              {},
              0});
  }
  const auto line = line_of(*knob);
  if (arguments.json()) return show(to_json(line, 2) + '\n');
  const auto where = terminal();
  std::string out = inked(where, Ink::bold, line.id) + ": " + line.title + '\n';
  out += "scope " + line.scope + "; risk " + line.risk + "; power cost " + line.power_cost +
         (line.io_stall ? "; a write freezes the drive's queue" : "") +
         (line.unit.empty() ? "" : "; in " + line.unit) + "\n\n";
  out += inked(where, Ink::bold, "what it is") + '\n' + paragraphs(line.doc, where) + '\n';
  out += inked(where, Ink::bold, "why it matters") + '\n' + paragraphs(line.why, where);
  return show(out + "\non this host: lanekeeper explain " + line.id + '\n');
}

}  // namespace

Command knobs_list_command() {
  return {.name = "knobs list",
          .summary = "list everything that Lanekeeper looks at",
          .takes = {.output = true},
          .run = list};
}

Command knobs_show_command() {
  return {.name = "knobs show",
          .summary = "say what one knob is, what it costs and why it matters",
          .takes = {.output = true},
          .options = {{.name = "id",
                       .value = "ID",
                       .help = "cpu.governor, nvme.link, ...",
                       .positional = true,
                       .required = true}},
          .run = show_one};
}

}  // namespace lk
