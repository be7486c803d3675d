#include "probes/probe.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>

#include "base/text.hpp"

namespace lk {

namespace {

Cause cause_of(int err) {
  switch (err) {
    case ENOENT:
    case ENOTDIR:
    case ENODEV:
    case ENXIO:
      return Cause::absent;
    case EACCES:
    case EPERM:
      return Cause::denied;
    case 0:
      return Cause::malformed;
    default:
      return Cause::unreadable;
  }
}

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> buffer;
  const auto size = std::strftime(buffer.data(), buffer.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {buffer.data(), size};
}

std::string boot_id(const Root& root) {
  const auto text = root.read("proc/sys/kernel/random/boot_id");
  if (text && !trim(*text).empty()) return std::string(trim(*text));
  return "tree:" + fnv_digest(root.directory());
}

// A capture may pad a file with NULs ("\n\0\0"), which is an empty line; NULs alone are a file
// whose content was lost.
bool nothing_but_nul(std::string_view content) {
  return !content.empty() && content.find_first_not_of('\0') == std::string_view::npos;
}

bool any_of(const Root& root, const std::string& top, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const char* name) { return root.exists(top + name); });
}

std::string no_tree(std::string_view path) {
  return path.starts_with("sys/") ? "there is no sysfs: " : "there is no procfs: ";
}

ProbeStatus status_of(const Probe& probe, const Inventory& inventory,
                      const std::vector<Problem>& problems) {
  bool trouble = false;
  for (const auto& each : problems) {
    // The probe itself hung, or killed its reader.
    if (each.path == "probe:" + std::string(probe.name)) {
      return ProbeStatus::failed;
    }
    trouble |= each.cause == Cause::denied || each.cause == Cause::unreadable ||
               each.cause == Cause::malformed || each.cause == Cause::hung;
  }
  if (probe.available != nullptr && !probe.available(inventory)) {
    return trouble ? ProbeStatus::failed : ProbeStatus::unavailable;
  }
  return trouble ? ProbeStatus::partial : ProbeStatus::ok;
}

}  // namespace

ProbeContext::ProbeContext(const Root& from, Inventory& into, const CollectOptions& options)
    : root(from),
      inventory(into),
      node_overrides(options.node_overrides),
      ask_drives(options.ask_drives),
      options_(options),
      has_sys_(any_of(from, "sys/", {"block", "bus", "class", "devices", "firmware", "kernel"})),
      has_proc_(any_of(from, "proc/",
                       {"cmdline", "cpuinfo", "meminfo", "self", "sys", "version", "interrupts",
                        "irq", "mounts", "stat"})) {}

bool ProbeContext::has_tree(std::string_view path) const {
  if (path.starts_with("sys/")) return has_sys_;
  return !path.starts_with("proc/") || has_proc_;
}

std::optional<std::string> ProbeContext::text(const std::string& field, const std::string& path) {
  const auto content = root.read(path);
  if (!content) {
    problem(field, content.error());
    return std::nullopt;
  }
  const auto trimmed = trim(*content);
  if (nothing_but_nul(*content)) {
    missing(field, Cause::malformed, "holds nothing but NUL bytes", path);
    return std::nullopt;
  }
  return std::string(trimmed);
}

std::optional<std::string> ProbeContext::word(const std::string& field, const std::string& path) {
  auto content = text(field, path);
  if (content && content->empty()) {
    missing(field, Cause::absent, "is empty", path);
    return std::nullopt;
  }
  return content;
}

std::optional<std::int64_t> ProbeContext::integer(const std::string& field,
                                                  const std::string& path) {
  const auto content = text(field, path);
  if (!content) return std::nullopt;
  const auto number = parse_int(*content);
  if (!number) {
    problem(field, Error{number.error().what, path, 0});
    return std::nullopt;
  }
  return *number;
}

std::optional<bool> ProbeContext::flag(const std::string& field, const std::string& path) {
  const auto content = text(field, path);
  if (!content) return std::nullopt;
  const auto value = parse_bool(*content);
  if (!value) {
    problem(field, Error{value.error().what, path, 0});
    return std::nullopt;
  }
  return *value;
}

std::optional<Selector> ProbeContext::selector(const std::string& field, const std::string& path,
                                               const std::string& shown) {
  const auto content = word(field, path);
  if (!content) return std::nullopt;
  auto selector = parse_selector(*content);
  // One that offers no choice prints it without brackets.
  if (!selector.chosen && selector.offered.size() == 1) selector.chosen = selector.offered[0];
  if (!selector.chosen) {
    missing(field, Cause::malformed, "nothing is in brackets", path);
    return std::nullopt;
  }
  keep_text(shown, *content);
  return selector;
}

std::optional<CpuSet> ProbeContext::cpu_list(const std::string& field, const std::string& path) {
  const auto content = text(field, path);
  if (!content) return std::nullopt;
  auto set = CpuSet::parse_list(*content);
  if (!set) {
    problem(field, Error{set.error().what, path, 0});
    return std::nullopt;
  }
  if (set->to_list() != *content) keep_text(path, *content);
  return *std::move(set);
}

std::optional<CpuSet> ProbeContext::cpu_mask(const std::string& field, const std::string& path) {
  const auto content = text(field, path);
  if (!content) return std::nullopt;
  auto set = CpuSet::parse_mask(*content);
  if (!set) {
    problem(field, Error{set.error().what, path, 0});
    return std::nullopt;
  }
  return *std::move(set);
}

std::optional<std::string> ProbeContext::optional_text(const std::string& field,
                                                       const std::string& path) {
  const auto content = root.read(path);
  if (content && nothing_but_nul(*content)) {
    missing(field, Cause::malformed, "holds nothing but NUL bytes", path);
    return std::nullopt;
  }
  if (content) return std::string(trim(*content));
  if (cause_of(content.error().err) != Cause::absent || !has_tree(path)) {
    problem(field, content.error());
  }
  return std::nullopt;
}

std::vector<std::string> ProbeContext::list(const std::string& field, const std::string& path) {
  auto names = root.list(path);
  if (names) return *std::move(names);
  if (cause_of(names.error().err) != Cause::absent || !has_tree(path)) {
    problem(field, names.error());
  }
  return {};
}

void ProbeContext::keep_text(const std::string& path, std::string_view text) {
  inventory.file_texts.insert_or_assign(path, std::string(text));
}

// A host with 10,000 interrupts can lack the same value 10,000 times: only the first is put in
// words.
void ProbeContext::problem(const std::string& field, const Error& error) {
  const Cause cause = cause_of(error.err);
  if (cause != Cause::absent || has_tree(error.path)) return book(field, cause, error);
  book(field, Cause::unreadable, {no_tree(error.path) + error.what, error.path, error.err});
}

void ProbeContext::book(const std::string& field, Cause cause, const Error& error) {
  for (auto& known : problems_) {
    if (known.field != field || known.cause != cause) continue;
    if (known.error ? error.err != 0 && *known.error == errno_name(error.err) : error.err == 0) {
      ++known.count;
      return;
    }
  }
  Problem entry{.field = field,
                .cause = cause,
                .path = {},
                .error = {},
                .message = error.message(),
                .count = 1};
  if (!error.path.empty()) entry.path = error.path;
  if (error.err != 0) entry.error = errno_name(error.err);
  problems_.push_back(std::move(entry));
}

void ProbeContext::missing(const std::string& field, Cause cause, const std::string& message,
                           const std::string& path, std::int64_t count) {
  if (cause == Cause::absent && !has_tree(path)) {
    return missing(field, Cause::unreadable, no_tree(path) + message, path, count);
  }
  for (auto& known : problems_) {
    if (known.field != field || known.cause != cause || known.error) continue;
    known.count += count;
    return;
  }
  Problem entry{
      .field = field, .cause = cause, .path = {}, .error = {}, .message = message, .count = count};
  if (!path.empty()) entry.path = path;
  problems_.push_back(std::move(entry));
}

bool ProbeContext::enter(const std::string& unit, const std::string& field) {
  if (const auto found = options_.skip.find(unit); found != options_.skip.end()) {
    const auto& ended = found->second.ended;
    missing(field, ended.empty() ? Cause::hung : Cause::unreadable,
            ended.empty() ? unit + " gave no answer in time and was left out"
                          : ended + " while reading " + unit + ", which was left out",
            unit);
    return false;
  }
  options_.announce(unit);
  return true;
}

std::vector<Problem> ProbeContext::take_problems() {
  return std::exchange(problems_, {});
}

Inventory collect(const Root& root, const CollectOptions& options) {
  Inventory inventory;
  inventory.live = root.is_live();
  inventory.boot_id = boot_id(root);
  inventory.collected_at = now_utc();
  inventory.labels = options.labels;
  ProbeContext context(root, inventory, options);
  for (const auto& probe : probes()) {
    const auto start = std::chrono::steady_clock::now();
    const std::string unit = "probe:" + std::string(probe.name);
    if (context.enter(unit, std::string(probe.name))) probe.run(context);
    ProbeReport report;
    report.name = probe.name;
    report.problems = context.take_problems();
    report.status = status_of(probe, inventory, report.problems);
    report.duration_us = std::chrono::duration_cast<std::chrono::microseconds>(
                             std::chrono::steady_clock::now() - start)
                             .count();
    inventory.probes.push_back(std::move(report));
  }
  return inventory;
}

}  // namespace lk
