#include "base/json_write.hpp"
#include "base/user_file.hpp"
#include "daemon/session.hpp"
#include "daemon/table.hpp"
#include "service/diff.hpp"
#include "service/history.hpp"

namespace lk {

namespace {

constexpr int kDifferent = 1;
constexpr std::size_t kMostInventory = std::size_t{256} << 20U;

Result<Document> file(const std::string& path) {
  auto text = read_user_file(path, kMostInventory);
  if (!text) return text.error();
  return Document{path, *std::move(text)};
}

Result<Document> this_host(const Engine& engine) {
  return Document{"this host", inventory_json(engine.snapshot()->inventory)};
}

Result<Document> previous_boot(const Engine& engine) {
  const auto config = engine.config();
  const auto history = History::existing(config.state_dir);
  const std::string advice =
      "; `lanekeeper serve` keeps the last inventory of each boot in its state directory";
  if (!history) {
    return Error{"no earlier boot is known: " + history.error().message() + advice, {}, 0};
  }
  auto text = (*history)->before(config.root, engine.snapshot()->inventory.boot_id);
  if (!text) return text.error();
  if (!*text) return Error{"no earlier boot is known" + advice, {}, 0};
  return Document{"the previous boot", **std::move(text)};
}

std::string listed(const std::vector<std::string>& targets) {
  constexpr std::size_t kShown = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(targets.size(), kShown); ++i) {
    text += (i == 0 ? "" : ", ") + targets[i];
  }
  if (targets.size() > kShown) text += " and " + std::to_string(targets.size() - kShown) + " more";
  return text;
}

std::string as_table(const InventoryDiff& diff, const Terminal& where) {
  std::string out;
  Table table({{.header = "subject"},
               {.header = "what", .shrink = true},
               {.header = "where", .shrink = true},
               {.header = "from", .shrink = true},
               {.header = "to", .shrink = true}});
  for (const auto& each : diff.differences) {
    const bool worse = each.subject == Subject::link || each.turn == Turn::removed;
    table.row({Cell(std::string(name_of(each.subject)), worse ? Ink::red : Ink::bold), each.field,
               listed(each.targets), each.from.value_or(each.turn == Turn::added ? "absent" : ""),
               each.to.value_or(each.turn == Turn::removed ? "absent" : "")});
  }
  out += table.empty() ? "no difference that matters\n" : table.render(where);
  if (!diff.incomparable.empty()) {
    out += std::to_string(diff.incomparable.size()) +
           " values are known on one side only (--json names them)\n";
  }
  return out;
}

struct Sides {
  Result<Document> from;
  Result<Document> to;
};

Result<Sides> chosen(const Arguments& arguments) {
  const auto files = arguments.values("file");
  const bool golden = arguments.has("golden");
  const bool previous = arguments.has("previous-boot");
  if (files.size() == 2 && !golden && !previous) return Sides{file(files[0]), file(files[1])};
  if (!files.empty() || golden == previous) {
    return Error{"name two inventories, or --previous-boot, or --golden FILE", {}, 0};
  }
  const auto engine = read_host(arguments);
  if (!engine) return engine.error();
  return Sides{golden ? file(*arguments.value("golden")) : previous_boot(**engine),
               this_host(**engine)};
}

int run(const Arguments& arguments) {
  const auto sides = chosen(arguments);
  if (!sides) return fail(sides.error());
  if (!sides->from) return fail(sides->from.error());
  if (!sides->to) return fail(sides->to.error());
  const auto found = diff_documents(*sides->from, *sides->to);
  if (!found) return fail(found.error());
  const int shown =
      show(arguments.json() ? to_json(*found, 2) + '\n' : as_table(*found, terminal()));
  if (shown != kDone) return shown;
  return found->differences.empty() ? kDone : kDifferent;
}

}  // namespace

Command diff_command() {
  return {
      .name = "diff",
      .summary = "say what changed between two inventories that matters",
      .text =
          "Exit status 0: nothing that matters, 1: something, 2: trouble. Left out is what any\n"
          "two boots differ in: device names, numbers of interrupts, times, process ids.",
      .takes = {.root = true, .output = true},
      .options = {{.name = "file",
                   .value = "FILE",
                   .help = "two inventories, as `lanekeeper inventory --json` writes them",
                   .repeats = true,
                   .positional = true},
                  {.name = "previous-boot",
                   .help = "this host now against its last inventory of an earlier boot"},
                  {.name = "golden",
                   .value = "FILE",
                   .help = "this host now against an inventory that was kept as the right one"},
                  {.name = "state-dir",
                   .value = "DIR",
                   .help = "where serve keeps them [/var/lib/lanekeeper]"}},
      .run = run};
}

}  // namespace lk
