#include <unistd.h>

#include <cerrno>

#include "daemon/session.hpp"
#include "daemon/terminal.hpp"
#include "daemon/units.hpp"
#include "service/capture.hpp"

namespace lk {

namespace {

constexpr std::size_t kMostGaps = 8;

std::string gaps_text(const std::vector<CaptureGap>& gaps) {
  std::string out;
  bool denied = false;
  std::size_t shown = 0;
  for (const auto& gap : gaps) {
    denied |= gap.err == EACCES || gap.err == EPERM;
    if (++shown > kMostGaps) continue;
    out += "  /" + visible(gap.path) + ": " +
           (gap.err == ETIMEDOUT ? "no answer in time" : errno_name(gap.err)) + '\n';
  }
  if (gaps.size() > kMostGaps) {
    out += "  and " + std::to_string(gaps.size() - kMostGaps) + " more: see tree.json in it\n";
  }
  if (denied) out += "  Permission was denied: run as root to keep these.\n";
  return out.empty() ? out : "could not be read:\n" + out;
}

int run(const Arguments& arguments) {
  CaptureOptions options;
  options.out = arguments.value("out").value_or("");
  if (options.out.empty()) return fail(Error{"--out wants the name of a file", {}, 0});
  options.root = arguments.value("root").value_or("/");
  options.redact = !arguments.has("no-redact");
  const auto report = capture(options, self_executable());
  if (!report) return fail(report.error());
  std::string out = visible(options.out) + ": " +
                    plural(static_cast<std::int64_t>(report->entries), "entry", "entries");
  out += options.redact
             ? ", " +
                   plural(static_cast<std::int64_t>(report->secrets), "identifier", "identifiers") +
                   " replaced\n"
             : ", with serials, addresses and names: not for sharing\n";
  out += gaps_text(report->gaps);
  return show(out + "to look at it: tar -xf " + shell_word(options.out) +
              " && lanekeeper inventory --root tree\n");
}

}  // namespace

Command capture_command() {
  return {.name = "capture",
          .summary = "keep what the probes read of this host in a file, to look at elsewhere",
          .text =
              "Serials, UUIDs, WWNs, NQNs, MAC and IP addresses, the host name and secrets on the\n"
              "kernel command line are replaced, the same ones by the same words everywhere.",
          .options = {{.name = "out",
                       .value = "FILE",
                       .help = "FILE.tar.xz, replaced if it exists",
                       .required = true},
                      {.name = "no-redact", .value = "", .help = "keep identifiers as they are"},
                      {.name = "root",
                       .value = "DIR",
                       .help = "a captured tree in place of this host"}},
          .run = run};
}

// The disposable process that walks the host: started by capture, never by people.
Command capture_reader_command() {
  return {.name = "capture-reader",
          .summary = "walk the host for the process that started this one",
          .run = [](const Arguments&) { return capture_reader_main(STDIN_FILENO, STDOUT_FILENO); },
          .hidden = true};
}

}  // namespace lk
