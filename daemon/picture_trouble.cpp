#include <algorithm>

#include "daemon/picture.hpp"
#include "daemon/units.hpp"

namespace lk {

namespace {

constexpr std::size_t kMostProblems = 12;

bool is_ordinary(Cause cause) {
  return cause == Cause::absent || cause == Cause::not_applicable || cause == Cause::not_asked ||
         cause == Cause::not_yet;
}

std::string bullet(const Terminal& terminal, Ink ink, const std::string& text) {
  return inked(terminal, ink, "  - " + wrap(visible(text), terminal.width, 4)) + '\n';
}

std::string link_trouble(const NvmeController& drive, const std::string& name,
                         const Terminal& terminal) {
  if (drive.link.capped_by_firmware == true) {
    return bullet(terminal, Ink::yellow,
                  name + ": the firmware set a lower speed for a PCIe link on its path");
  }
  const auto& at = drive.link.degraded_at;
  if (std::find(at.begin(), at.end(), drive.pci_address) == at.end() && !at.empty()) {
    return bullet(terminal, Ink::red,
                  name + ": the PCIe link of port " + at.front() +
                      " above it runs below what both its ends can do (look at the card, riser or "
                      "cable that carries the port)");
  }
  return bullet(terminal, Ink::red,
                name +
                    ": its PCIe link runs below what drive and port can do (reseat the drive, look "
                    "at cable and slot)");
}

std::string drives_in_trouble(const Inventory& inventory, const Terminal& terminal) {
  std::string out;
  for (const auto& drive : inventory.nvme.controllers) {
    const auto name = short_name(drive);
    if (drive.state && *drive.state != "live") {
      out += bullet(terminal, Ink::red, name + " is " + *drive.state + ", not live");
    }
    if (drive.link.degraded == true) out += link_trouble(drive, name, terminal);
    const auto far = std::count_if(drive.queues.begin(), drive.queues.end(),
                                   [](const NvmeQueue& queue) { return queue.local == false; });
    if (far > 0) {
      out += bullet(terminal, Ink::yellow,
                    name + ": " + plural(far, "queue has its", "queues have their") +
                        " interrupt on CPUs that do not submit to it");
    }
    if (drive.pci_address && !drive.effective_node && inventory.numa.nodes.size() > 1) {
      out += bullet(terminal, Ink::yellow, name + " has no known node: " + node_reason(drive));
    }
  }
  return out;
}

// Fields that one file and one reason cost: "nvme.controllers[].path[].aspm_control".
struct Loss {
  const Problem* first = nullptr;
  std::size_t more_fields = 0;
};

std::vector<Loss> losses(const Inventory& inventory) {
  std::vector<Loss> all;
  for (const auto& probe : inventory.probes) {
    for (const auto& problem : probe.problems) {
      if (is_ordinary(problem.cause)) continue;
      const auto same = std::find_if(all.begin(), all.end(), [&](const Loss& each) {
        return each.first->message == problem.message && each.first->path == problem.path;
      });
      if (same == all.end()) {
        all.push_back({&problem});
      } else {
        ++same->more_fields;
      }
    }
  }
  return all;
}

// "cpuidle.latency_limit_us: cannot read ..., and 3 more".
std::string loss_text(const Loss& loss) {
  const Problem& problem = *loss.first;
  std::string text = problem.field;
  if (loss.more_fields > 0) {
    text += " and " + plural(static_cast<std::int64_t>(loss.more_fields), "field", "fields") +
            " beside it";
  }
  text += ": " + problem.message;
  if (problem.path && text.find(*problem.path) == std::string::npos) {
    text += " (" + *problem.path + ')';
  }
  if (problem.count > 1) text += ", and " + std::to_string(problem.count - 1) + " more";
  return text;
}

std::string unread(const Inventory& inventory, const Terminal& terminal,
                   const std::string& probes) {
  std::string out;
  bool denied = false;
  const auto all = losses(inventory);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Cause cause = all[i].first->cause;
    denied |= cause == Cause::denied;
    if (i >= kMostProblems) continue;
    out += bullet(terminal, cause == Cause::hung ? Ink::red : Ink::yellow, loss_text(all[i]));
  }
  if (all.size() > kMostProblems) {
    out += "  and " + std::to_string(all.size() - kMostProblems) + " more: " + probes + '\n';
  }
  if (denied) out += "  Permission was denied: run as root to read these.\n";
  return out;
}

// A command is not broken over lines: it is there to be pasted.
std::string with_command(const std::string& text, const std::string& command,
                         const Terminal& terminal) {
  const bool fits = columns(text) + 1 + columns(command) <= terminal.width;
  if (terminal.width == 0 || fits) return text + ' ' + command;
  return wrap(text, terminal.width) + "\n  " + command;
}

std::int64_t ordinary_count(const Inventory& inventory) {
  std::int64_t count = 0;
  for (const auto& probe : inventory.probes) {
    for (const auto& problem : probe.problems) count += is_ordinary(problem.cause) ? 1 : 0;
  }
  return count;
}

}  // namespace

std::string picture_trouble(const Inventory& inventory, const Terminal& terminal,
                            const std::string& more) {
  const std::string probes = "lanekeeper inventory --part probes" + more;
  std::string wrong = drives_in_trouble(inventory, terminal);
  for (const auto& warning : inventory.numa.warnings) {
    wrong += bullet(terminal, Ink::yellow, warning);
  }
  std::string out;
  if (!wrong.empty()) out += inked(terminal, Ink::bold, "what is wrong") + '\n' + wrong;
  const auto not_read = unread(inventory, terminal, probes);
  if (!not_read.empty()) {
    out += inked(terminal, Ink::bold, "what could not be read") + '\n' + not_read;
  }
  if (out.empty()) out = "Nothing wrong was seen.";
  if (out.back() != '\n') out += ' ';
  out += "Judged against a profile: lanekeeper audit" + more + '\n';
  if (const auto count = ordinary_count(inventory); count > 0) {
    const auto text =
        plural(count, "field", "fields") + " that host, kernel or this version do not have:";
    out += with_command(text, probes, terminal) + '\n';
  }
  return out;
}

}  // namespace lk
