#include "base/text.hpp"
#include "daemon/picture.hpp"
#include "daemon/session.hpp"
#include "service/inventory_part.hpp"

namespace lk {

namespace {

Error unknown_part(const std::string& part) {
  std::string text = "unknown part \"" + part + '"';
  const auto known = inventory_parts();
  if (const auto near = nearest(part, known); !near.empty()) {
    text += ", is \"" + near + "\" meant?";
  } else {
    text += "; known are";
    for (const auto& each : known) text += ' ' + each;
  }
  return Error{text, {}, 0};
}

// " --root DIR --config FILE" as they were given.
std::string options_of(const Arguments& arguments) {
  return next_command(arguments, {}).substr(std::string_view("lanekeeper").size());
}

int run(const Arguments& arguments) {
  const auto part = arguments.value("part");
  if (part && !inventory_part_json({}, *part)) return fail(unknown_part(*part));
  const auto engine = read_host(arguments);
  if (!engine) return fail(engine.error());
  const auto snapshot = (*engine)->snapshot();
  const Inventory& inventory = snapshot->inventory;
  int status = kDone;
  if (part) {
    status = show(*inventory_part_json(inventory, *part, 2) + '\n');
  } else if (arguments.json()) {
    status = show(inventory_json(inventory, 2) + '\n');
  } else {
    status = show(picture(inventory, terminal(), options_of(arguments)));
  }
  return says_anything(inventory) ? status : nothing_read(**engine);
}

}  // namespace

Command inventory_command() {
  return {
      .name = "inventory",
      .summary = "show this host: nodes, CPUs, drives, links, and what is wrong",
      .text =
          "Nothing is written, and no drive is sent a command unless --ask-drives says so. What\n"
          "an ordinary user may not read is named as such. --json gives the same document as\n"
          "GET /v1/inventory.",
      .takes = {.root = true, .config = true, .output = true},
      .options = {{.name = "part",
                   .value = "PART",
                   .help = "only this part, as JSON: host, cpu, numa, nvme, block, irqs, ..."},
                  {.name = "ask-drives",
                   .help = "also read temperatures, which the kernel asks the drives for"}},
      .run = run};
}

}  // namespace lk
