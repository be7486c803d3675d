#include "tuners/waiver.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/moment.hpp"
#include "base/text.hpp"
#include "probes/find_drive.hpp"
#include "tuners/group.hpp"
#include "tuners/observe.hpp"

namespace lk {

namespace {

const std::vector<std::string> kKeys = {"id",     "check", "target", "label",
                                        "reason", "owner", "ticket", "expires"};

Status check_text(const std::string& key, const std::string& text) {
  if (trim(text).empty()) return Error{key + " is empty", key, 0};
  if (text.size() > kMostWaiverText) {
    return Error{key + " is longer than " + std::to_string(kMostWaiverText) + " bytes", key, 0};
  }
  if (visible(text) != text) {
    return Error{key + " holds control characters, or is not UTF-8", key, 0};
  }
  return ok_status();
}

Status check_texts(const WaiverText& text) {
  const std::map<std::string, const std::string*> needed{{"check", &text.check},
                                                         {"expires", &text.expires},
                                                         {"owner", &text.owner},
                                                         {"reason", &text.reason}};
  for (const auto& [key, value] : needed) {
    if (auto status = check_text(key, *value); !status) return status;
  }
  const std::map<std::string, const std::optional<std::string>*> optional{
      {"label", &text.label}, {"target", &text.target}, {"ticket", &text.ticket}};
  for (const auto& [key, value] : optional) {
    if (!*value) continue;
    if (auto status = check_text(key, **value); !status) return status;
  }
  return ok_status();
}

Status take(const YamlEntry& entry, const std::string& file, std::string& id, WaiverText& out) {
  auto text = yaml_text(entry.value, file, entry.key);
  if (!text) return text.error();
  if (entry.key == "id") id = *text;
  if (entry.key == "check") out.check = *text;
  if (entry.key == "target") out.target = *text;
  if (entry.key == "label") out.label = *text;
  if (entry.key == "reason") out.reason = *text;
  if (entry.key == "owner") out.owner = *text;
  if (entry.key == "ticket") out.ticket = *text;
  if (entry.key == "expires") out.expires = *text;
  return ok_status();
}

Result<Waiver> read_waiver(const YamlNode& node, const std::string& file) {
  if (auto status = yaml_keys(node, kKeys, file, "a waiver"); !status) return status.error();
  WaiverText text;
  std::string id;
  for (const auto& entry : node.entries) {
    if (auto status = take(entry, file, id, text); !status) return status.error();
  }
  for (const char* key : {"check", "reason", "owner", "expires"}) {
    if (node.find(key) == nullptr) {
      return yaml_error(file, node.line, "a waiver needs " + std::string(key));
    }
  }
  auto made = make_waiver(text);
  if (!made) {
    const auto* at = node.find(made.error().path);
    return yaml_error(file, at == nullptr ? node.line : at->line, made.error().what);
  }
  made->id = id.empty() ? text.check + "@" + text.target.value_or(text.label.value_or("")) : id;
  if (auto status = check_text("id", made->id); !status) {
    return yaml_error(file, node.line, status.error().what);
  }
  made->origin = file + ":" + std::to_string(node.line);
  return made;
}

void add_block(const NvmeNamespace& space, std::vector<std::string>& out) {
  out.push_back(target_of(Scope::block, space.wwid.value_or(space.name)));
}

bool is_path_of(const NvmeNamespace& space, const NvmeController& drive) {
  return std::any_of(space.paths.begin(), space.paths.end(), [&](const auto& path) {
    return drive.name && path.controller == *drive.name;
  });
}

// The targets of the drive, namespace or disk of that name. A name that several drives have says
// nothing: which of them is meant is not known.
void add_drive(const Inventory& inventory, std::string_view name, std::vector<std::string>& out) {
  for (const std::string_view prefix : {"nvme:", "block:", "pci:", "irq:"}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  if (name.starts_with("/dev/")) name.remove_prefix(5);
  for (const auto& space : inventory.nvme.namespaces) {
    if (space.name == name || space.wwid == name) add_block(space, out);
  }
  const auto drives = find_drive(inventory, name);
  if (drives.size() == 1) {
    const auto& drive = *drives.front();
    out.push_back(target_of(Scope::nvme, drive.id));
    if (drive.pci_address) {
      out.push_back(target_of(Scope::pci, *drive.pci_address));
      out.push_back(target_of(Scope::irq, *drive.pci_address + "/*"));
    }
    for (const auto& space : inventory.nvme.namespaces) {
      if (is_path_of(space, drive)) add_block(space, out);
    }
  }
  const auto disks = find_disk(inventory, name);
  if (disks.size() == 1) {
    out.push_back(target_of(Scope::block, disks[0]->wwid.value_or(disks[0]->name)));
  }
}

}  // namespace

Result<Waiver> make_waiver(const WaiverText& text) {
  if (auto status = check_texts(text); !status) return status.error();
  if (text.target.has_value() == text.label.has_value()) {
    return Error{text.target ? "a waiver has target or label, not both"
                             : "a waiver needs target or label; target: \"*\" means everywhere",
                 text.target ? "label" : "target", 0};
  }
  if (text.label) {
    const auto equals = text.label->find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{"label must be key=value", "label", 0};
    }
  }
  const auto end = parse_end(text.expires);
  if (!end) return Error{"expires: " + end.error().what, "expires", 0};
  Waiver made;
  made.check = text.check;
  made.target = text.target;
  made.label = text.label;
  made.reason = text.reason;
  made.owner = text.owner;
  made.ticket = text.ticket;
  made.expires_at = *end;
  made.expires = moment_text(*end);
  return made;
}

Result<std::vector<Waiver>> read_waivers(const YamlNode& node, const std::string& file) {
  std::vector<Waiver> out;
  if (node.kind == YamlNode::Kind::null) return out;
  if (node.kind != YamlNode::Kind::list) {
    return yaml_error(file, node.line, "waivers must be a list");
  }
  std::set<std::string> ids;
  for (const auto& item : node.items) {
    auto waiver = read_waiver(item, file);
    if (!waiver) return waiver.error();
    if (!ids.insert(waiver->id).second) {
      return yaml_error(file, item.line, "waiver \"" + waiver->id + "\" stands twice");
    }
    out.push_back(*std::move(waiver));
  }
  return out;
}

WaiverMatch::WaiverMatch(std::span<const Waiver> waivers, const Inventory& inventory,
                         std::string_view check) {
  for (const auto& each : waivers) {
    if (each.check != check) continue;
    if (!each.target) {
      const auto has = [&](const auto& label) {
        return label.first + "=" + label.second == each.label;
      };
      if (std::any_of(inventory.labels.begin(), inventory.labels.end(), has)) {
        covers_.push_back({&each, {"*"}});
      }
      continue;
    }
    Cover cover{&each, expand_targets({*each.target})};
    add_drive(inventory, *each.target, cover.globs);
    covers_.push_back(std::move(cover));
  }
}

const Waiver* WaiverMatch::find(const std::string& target) const {
  for (const auto& each : covers_) {
    if (std::any_of(each.globs.begin(), each.globs.end(),
                    [&](const std::string& glob) { return glob_match(glob, target); })) {
      return each.waiver;
    }
  }
  return nullptr;
}

}  // namespace lk
