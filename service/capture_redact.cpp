#include "service/capture_redact.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "base/text.hpp"
#include "probes/redact.hpp"
#include "service/secret_shapes.hpp"

namespace lk {

namespace {

enum class Sort { serial, wwid, nqn, uuid, eui, mac, ipv4, ipv6, host, instance };

constexpr std::size_t kLeastSecret = 4;  // shorter ones are replaced only in their own file

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

std::string padded(std::size_t number, std::size_t width, unsigned base) {
  std::string digits;
  for (; number != 0 || digits.empty(); number /= base) {
    digits.insert(digits.begin(), "0123456789abcdef"[number % base]);
  }
  return digits.size() < width ? std::string(width - digits.size(), '0') + digits : digits;
}

// Of the secret's own form, where a program might parse it.
std::string replacement_for(Sort sort, const std::string& secret, std::size_t number) {
  const auto hex = [&](std::size_t width) { return padded(number, width, 16); };
  switch (sort) {
    case Sort::serial:
      return "SERIAL" + padded(number, 4, 10);
    case Sort::wwid: {
      const auto dot = secret.find('.');
      const bool typed = dot != secret.npos && dot < 6;  // "eui.", "nvme.", "naa.", "t10."
      return (typed ? secret.substr(0, dot + 1) : std::string()) + "redacted" +
             padded(number, 4, 10);
    }
    case Sort::nqn:
      return "nqn.2014-08.org.nvmexpress:redacted" + padded(number, 4, 10);
    case Sort::uuid:
      return "00000000-0000-4000-8000-" + hex(12);
    case Sort::eui:
      return hex(secret.size());
    case Sort::mac:
      return "02:00:00:00:" + hex(4).substr(0, 2) + ':' + hex(4).substr(2, 2);
    case Sort::ipv4:
      return "192.0.2." + std::to_string(number % 255);
    case Sort::ipv6:
      return "2001:db8::" + hex(1);
    case Sort::host:
      return "redacted-host";
    case Sort::instance:
      return "instance" + padded(number, 4, 10);
  }
  return "REDACTED";
}

// Whole words only: numbers and short words also stand inside others by chance.
bool wants_boundaries(Sort sort, const std::string& secret) {
  return sort == Sort::host || sort == Sort::ipv4 || sort == Sort::ipv6 || secret.size() < 8 ||
         std::all_of(secret.begin(), secret.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool says_nothing(const std::string& secret) {
  static const std::set<std::string> kEmpty{"none",      "n/a",     "unknown",
                                            "null",      "default", "invalid",
                                            "localhost", "(none)",  "not specified"};
  std::string lower;
  for (const char c : secret) {
    lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return lower.empty() || kEmpty.contains(lower) || lower.find_first_not_of("0-:. ") == lower.npos;
}

// Which kind of name a file holds, by the file's own name.
std::optional<Sort> sort_of_file(const std::string& path) {
  const auto name = base_name(path);
  if (name == "serial" || name == "serial_number") return Sort::serial;
  if (name == "wwid" || name == "wwn" || name == "unique_id") return Sort::wwid;
  if (name == "subsysnqn" || name == "hostnqn") return Sort::nqn;
  if (name == "uuid" || name == "nguid" || name == "hostid") return Sort::uuid;
  if (name == "eui") return Sort::eui;
  if (path == "proc/sys/kernel/hostname") return Sort::host;
  return std::nullopt;
}

bool is_cgroup(const std::string& path) {
  return path.starts_with("sys/fs/cgroup/") ||
         (path.starts_with("proc/") && base_name(path) == "cgroup");
}

// "LVM-<64 letters>", "CRYPT-LUKS2-<id>-<name>", "part1-mpath-<wwid>": the kind stays, so that a
// reader can tell it; what comes after is the secret.
std::string mapper_id(std::string_view uuid) {
  uuid = trim(uuid);
  for (const std::string_view kind : {"LVM-", "mpath-", "CRYPT-"}) {
    const auto at = uuid.find(kind);
    if (at != std::string_view::npos) return std::string(uuid.substr(at + kind.size()));
  }
  return std::string(uuid);
}

// Files in which an address can stand; elsewhere "2.14.0.1" is a version.
bool holds_addresses(const std::string& path) {
  return path == "proc/cmdline" || path.ends_with("/mounts") || path.ends_with("/mountinfo") ||
         (base_name(path) == "address" && path.find("/nvme") != path.npos);
}

// SCSI's unit serial number: four bytes of header, whose last two count what follows.
constexpr std::string_view kSerialPage = "vpd_pg80";
constexpr std::size_t kPageHeader = 4;

bool is_serial_page(const std::string& path, const TreeEntry& entry) {
  return base_name(path) == kSerialPage && entry.data.size() > kPageHeader;
}

std::string hex_of(const std::string& text) {
  std::string out;
  for (const char c : text) out += padded(static_cast<unsigned char>(c), 2, 16);
  return out;
}

// Which of the words that others use too are looked for.
struct Where {
  bool host = false;      // a host may be called "vm" or "data"
  bool instance = false;  // a unit may be called after a device

  bool holds(Sort sort) const {
    return sort == Sort::host ? host : sort == Sort::instance ? instance : true;
  }
};

class Secrets {
 public:
  void add(Sort sort, const std::string& secret) {
    if (says_nothing(secret) || known_.contains(secret)) return;
    const auto number = ++count_[sort];
    known_[secret] = {sort, replacement_for(sort, secret, number)};
    // A drive that has no identifier of its own gets one with its serial in hexadecimal.
    if (sort == Sort::serial && secret.size() >= kLeastSecret) {
      known_.try_emplace(hex_of(secret), Found{sort, hex_of(known_[secret].replacement)});
    }
  }

  void add_all(Sort sort, const std::vector<std::string>& secrets) {
    for (const auto& secret : secrets) add(sort, secret);
  }

  std::size_t size() const { return known_.size(); }

  std::string whole(const std::string& secret) const {
    const auto found = known_.find(secret);
    return found == known_.end() ? secret : found->second.replacement;
  }

  // Longest first, so that a serial inside an NQN does not spoil the NQN.
  void arrange() {
    order_.clear();
    for (const auto& [secret, found] : known_) {
      if (secret.size() >= kLeastSecret) order_.push_back(&secret);
    }
    std::sort(order_.begin(), order_.end(), [](const auto* left, const auto* right) {
      return left->size() != right->size() ? left->size() > right->size() : *left < *right;
    });
  }

  std::string replaced(std::string text, Where where) const {
    for (const auto* secret : order_) {
      const auto& found = known_.at(*secret);
      if (!where.holds(found.sort)) continue;
      for (auto at = find(text, *secret, 0); at != text.npos; at = find(text, *secret, at)) {
        text.replace(at, secret->size(), found.replacement);
        at += found.replacement.size();
      }
    }
    return text;
  }

  // Empty if none is left.
  std::string left_in(const std::string& text, Where where) const {
    for (const auto* secret : order_) {
      if (!where.holds(known_.at(*secret).sort)) continue;
      if (find(text, *secret, 0) != text.npos) return *secret;
    }
    return {};
  }

 private:
  struct Found {
    Sort sort = Sort::serial;
    std::string replacement;
  };

  std::size_t find(const std::string& text, const std::string& secret, std::size_t from) const {
    const bool bounded = wants_boundaries(known_.at(secret).sort, secret);
    for (auto at = text.find(secret, from); at != text.npos; at = text.find(secret, at + 1)) {
      const auto end = at + secret.size();
      const bool inside =
          (at > 0 && is_word(text[at - 1])) || (end < text.size() && is_word(text[end]));
      if (!bounded || !inside) return at;
    }
    return text.npos;
  }

  std::map<std::string, Found> known_;
  std::map<Sort, std::size_t> count_;
  std::vector<const std::string*> order_;
};

// Counters and addresses: a number there is not the serial that looks like it.
bool is_numbers(const std::string& path) {
  return path == "proc/interrupts" || path == "proc/meminfo" || path.starts_with("proc/sys/vm/") ||
         base_name(path) == "config";
}

bool may_name_host(const std::string& path) {
  return !path.starts_with("sys/devices/system/") && !path.starts_with("sys/module/") &&
         !path.starts_with("sys/kernel/") && !path.starts_with("proc/sys/vm/") &&
         !path.starts_with("proc/irq/") && path != "proc/cpuinfo" && path != "proc/mounts" &&
         base_name(path) != "comm";
}

Where in_content(const std::string& path) {
  return {may_name_host(path), is_cgroup(path)};
}

Where in_name(const std::string& path) {
  return {false, is_cgroup(path)};
}

// Units of templates and of machines carry names of users, sites and customers:
// "postgresql@customer.service", "machine-qemu\\x2d1\\x2dcustomer.scope".
std::vector<std::string> instances_in(std::string_view cgroup) {
  std::vector<std::string> found;
  for (const auto part : split(cgroup, '/')) {
    const auto name = trim(part);
    const auto dot = name.rfind('.');
    if (dot == std::string_view::npos) continue;
    const auto at = name.find('@');
    constexpr std::string_view kMachine = "machine-";
    const auto start = at < dot ? at + 1 : name.starts_with(kMachine) ? kMachine.size() : dot;
    const std::string instance(name.substr(start, dot - start));
    if (instance.find_first_not_of("0123456789") != std::string::npos) found.push_back(instance);
  }
  return found;
}

// Whoever set up an exported subsystem chose its name, which need not look like an NQN.
std::vector<std::string> subsystem_in(const std::string& path) {
  constexpr std::string_view kBefore = "nvmet/subsystems/";
  const auto at = path.find(kBefore);
  if (at == std::string::npos) return {};
  const auto start = at + kBefore.size();
  return {path.substr(start, path.find('/', start) - start)};
}

void collect(const std::string& path, const TreeEntry& entry, Secrets& secrets) {
  if (is_numbers(path)) return;
  for (const auto* text : {&path, &entry.data}) {
    secrets.add_all(Sort::uuid, find_uuids(*text));
    secrets.add_all(Sort::nqn, find_nqns(*text));
    secrets.add_all(Sort::eui, find_euis(*text));
  }
  secrets.add_all(Sort::nqn, subsystem_in(path));
  if (entry.kind != TreeEntry::Kind::file) return;
  if (is_cgroup(path) && base_name(path) == "cgroup") {
    secrets.add_all(Sort::instance, instances_in(entry.data));
  }
  if (path.ends_with("/dm/uuid")) {
    secrets.add(Sort::uuid, mapper_id(entry.data));
    return;
  }
  if (const auto sort = sort_of_file(path)) secrets.add(*sort, std::string(trim(entry.data)));
  if (is_serial_page(path, entry)) {
    secrets.add(Sort::serial, std::string(trim(std::string_view(entry.data).substr(kPageHeader))));
  }
  if (!holds_addresses(path)) return;
  secrets.add_all(Sort::mac, find_macs(entry.data));
  secrets.add_all(Sort::ipv4, find_ipv4(entry.data));
  secrets.add_all(Sort::ipv6, find_ipv6(entry.data));
}

std::string cleaned(const std::string& path, const TreeEntry& entry, const Secrets& secrets) {
  if (is_numbers(path)) return entry.data;
  if (is_serial_page(path, entry)) {
    const auto serial =
        secrets.whole(std::string(trim(std::string_view(entry.data).substr(kPageHeader))));
    return entry.data.substr(0, 3) + static_cast<char>(serial.size()) + serial;
  }
  if (entry.kind == TreeEntry::Kind::file && sort_of_file(path) && !path.ends_with("/dm/uuid")) {
    const std::string value(trim(entry.data));
    const auto at = value.empty() ? std::string::npos : entry.data.find(value);
    if (at != std::string::npos) {
      return entry.data.substr(0, at) + secrets.whole(value) + entry.data.substr(at + value.size());
    }
  }
  return secrets.replaced(entry.data, in_content(path));
}

}  // namespace

Result<Redacted> redact_tree(TreeEntries entries) {
  if (const auto found = entries.find("proc/cmdline"); found != entries.end()) {
    found->second.data = redact_cmdline(found->second.data);
  }
  Secrets secrets;
  for (const auto& [path, entry] : entries) collect(path, entry, secrets);
  secrets.arrange();
  Redacted out;
  out.secrets = secrets.size();
  for (auto& [path, entry] : entries) {
    const auto data = cleaned(path, entry, secrets);
    out.entries[secrets.replaced(path, in_name(path))] = {entry.kind, entry.mode, data};
  }
  for (const auto& [path, entry] : out.entries) {
    if (is_numbers(path)) continue;
    if (!secrets.left_in(path, in_name(path)).empty() ||
        !secrets.left_in(entry.data, in_content(path)).empty()) {
      return Error{"nothing was written: a secret is left after redaction in", path, 0};
    }
  }
  return out;
}

}  // namespace lk
