#include "daemon/session.hpp"
#include "daemon/terminal.hpp"
#include "service/placement.hpp"

namespace lk {

namespace {

int run(const Arguments& arguments) {
  const auto engine = read_host(arguments);
  if (!engine) return fail(engine.error());
  const auto snapshot = (*engine)->snapshot();
  const auto placement = place_near(snapshot->inventory, *arguments.value("drive"));
  if (!placement) return fail(placement.error());
  const auto format = *from_name<PlacementFormat>(arguments.value("format").value_or("numactl"));
  const auto policy = *from_name<MemoryPolicy>(arguments.value("memory").value_or("prefer"));
  if (format != PlacementFormat::systemd) {
    for (const auto& note : placement->notes) complain("note: " + note);
  }
  return show(placement_text(*placement, format, policy));
}

}  // namespace

Command placement_command() {
  return {
      .name = "placement",
      .summary = "print what would make a program local to a drive; change nothing",
      .text =
          "Prints the CPUs of the drive's node, without those that are offline, isolated or not\n"
          "allowed to this process, and the node to take memory from. systemd: a drop-in, for\n"
          "systemctl edit UNIT. A drive whose node is not known is an error (exit 2).",
      .takes = {.root = true, .config = true},
      .options = {{.name = "drive",
                   .value = "DRIVE",
                   .help = "name, serial, PCI address, slot or wwid",
                   .required = true},
                  {.name = "format",
                   .value = "FORMAT",
                   .help = "for which tool [numactl]",
                   .choices = "numactl|systemd|cpuset|fio"},
                  {.name = "memory",
                   .value = "POLICY",
                   .help = "prefer: other nodes when that one is full; bind: never [prefer]",
                   .choices = "prefer|bind"}},
      .run = run};
}

}  // namespace lk
