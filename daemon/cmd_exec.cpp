#include <cerrno>

#include "daemon/session.hpp"
#include "daemon/signals.hpp"
#include "daemon/terminal.hpp"
#include "service/run_near.hpp"

namespace lk {

namespace {

// As env(1) and its kin: what comes from the command cannot be mistaken for what comes from here.
constexpr int kNotStarted = 125;
constexpr int kNotExecutable = 126;
constexpr int kNotFound = 127;

int not_started(const Error& error) {
  complain(error.message());
  return kNotStarted;
}

int run(const Arguments& arguments) {
  if (arguments.has("root")) {
    complain(
        "exec runs a command on this host; with --root there is no such host to run it on "
        "(lanekeeper placement --root prints what would be done)");
    return kFailed;
  }
  if (arguments.values("command").empty()) {
    complain("which command? lanekeeper exec --near DRIVE -- COMMAND [ARGUMENT...]");
    return kFailed;
  }
  const auto engine = read_host(arguments);
  if (!engine) return not_started(engine.error());
  const auto snapshot = (*engine)->snapshot();
  const auto placement = place_near(snapshot->inventory, *arguments.value("near"));
  if (!placement) return not_started(placement.error());
  for (const auto& note : placement->notes) complain("note: " + note);
  const auto policy = *from_name<MemoryPolicy>(arguments.value("memory").value_or("prefer"));
  if (const auto status = go_near(*placement, policy); !status) return not_started(status.error());
  restore_broken_pipes();
  const auto error = become(arguments.values("command"));
  ignore_broken_pipes();
  complain(error.message());
  return error.err == ENOENT || error.err == ENOTDIR ? kNotFound : kNotExecutable;
}

}  // namespace

Command exec_command() {
  return {
      .name = "exec",
      .summary = "run a command on the node of a drive",
      .text =
          "lanekeeper exec --near nvme0 -- fio job.fio\n"
          "Sets the CPUs and the memory policy, reads both back, and becomes the command. Exit\n"
          "status: the command's; 127 if it is not found, 126 if it cannot be run, 125 if it was\n"
          "not started because the drive or its node is not known or the kernel did otherwise.",
      .takes = {.config = true},
      .options = {{.name = "near",
                   .value = "DRIVE",
                   .help = "name, serial, PCI address, slot or wwid",
                   .required = true},
                  {.name = "memory",
                   .value = "POLICY",
                   .help = "prefer: other nodes when that one is full; bind: never [prefer]",
                   .choices = "prefer|bind"},
                  {.name = "root", .value = "DIR", .help = "refused: only this host can run it"},
                  {.name = "command",
                   .value = "COMMAND",
                   .help = "the command and its arguments, after --",
                   .repeats = true,
                   .positional = true}},
      .run = run};
}

}  // namespace lk
