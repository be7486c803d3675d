#include "service/config.hpp"

#include <dirent.h>

#include <algorithm>
#include <cerrno>

#include "base/listen_address.hpp"
#include "base/yaml.hpp"

namespace lk {

namespace {

const std::vector<std::string> kKeys = {"profile",
                                        "profile_dirs",
                                        "listen",
                                        "allowed_hosts",
                                        "state_dir",
                                        "labels",
                                        "numa_nodes",
                                        "refresh_s",
                                        "golden",
                                        "access_log",
                                        "client_connections",
                                        "client_requests_per_s",
                                        "client_work_per_s",
                                        "waivers"};
constexpr std::int64_t kMostNode = 1023;  // MAX_NUMNODES of the widest kernel configuration
constexpr std::int64_t kMostRefresh = 86400;
constexpr std::int64_t kMostLimit = 1000000;

struct Place {
  const YamlNode& node;
  const std::string& file;
  const std::string& key;

  Error error(const std::string& what) const { return yaml_error(file, node.line, what); }
};

Status read_into(const Place& at, std::string& out) {
  auto text = yaml_text(at.node, at.file, at.key);
  if (!text) return text.error();
  if (text->empty()) return at.error(at.key + " is empty");
  out = *std::move(text);
  return ok_status();
}

Status read_into(const Place& at, std::vector<std::string>& out) {
  auto texts = yaml_texts(at.node, at.file, at.key);
  if (!texts) return texts.error();
  for (const auto& text : *texts) {
    if (text.empty()) return at.error("an element of " + at.key + " is empty");
  }
  out = *std::move(texts);
  return ok_status();
}

Status read_absolute(const Place& at, std::string& out) {
  if (auto status = read_into(at, out); !status) return status;
  if (!out.starts_with('/')) return at.error(at.key + " must be an absolute path, not " + out);
  return ok_status();
}

Status read_dirs(const Place& at, std::vector<std::string>& out) {
  if (auto status = read_into(at, out); !status) return status;
  for (const auto& dir : out) {
    if (!dir.starts_with('/')) return at.error(at.key + " takes absolute paths, not " + dir);
  }
  return ok_status();
}

Status read_listen(const Place& at, std::vector<std::string>& out) {
  if (auto status = read_into(at, out); !status) return status;
  if (auto status = check_listen(out); !status) return at.error(status.error().what);
  return ok_status();
}

Status read_labels(const Place& at, std::map<std::string, std::string>& out) {
  if (at.node.kind != YamlNode::Kind::map)
    return at.error("labels must be a map of names and texts");
  for (const auto& [name, line, value] : at.node.entries) {
    const auto text = yaml_text(value, at.file, "label " + name);
    if (!text) return text.error();
    out[name] = *text;
  }
  return ok_status();
}

Status read_nodes(const Place& at, std::map<std::string, std::int64_t>& out) {
  if (at.node.kind != YamlNode::Kind::map) {
    return at.error(
        "numa_nodes must be a map of drives (name, serial, PCI address, slot or wwid) and node "
        "numbers");
  }
  for (const auto& [drive, line, value] : at.node.entries) {
    const auto node = yaml_integer(value, at.file, "the node of " + drive);
    if (!node) return node.error();
    if (*node < 0 || *node > kMostNode) {
      return yaml_error(at.file, value.line,
                        "the node of " + drive + " must be 0 to " + std::to_string(kMostNode));
    }
    out[drive] = *node;
  }
  return ok_status();
}

Status read_number(const Place& at, std::int64_t least, std::int64_t most, std::int64_t& out) {
  const auto number = yaml_integer(at.node, at.file, at.key);
  if (!number) return number.error();
  if (*number < least || *number > most) {
    return at.error(at.key + " must be " + std::to_string(least) + " to " + std::to_string(most));
  }
  out = *number;
  return ok_status();
}

Status read_switch(const Place& at, bool& out) {
  const auto value = yaml_bool(at.node, at.file, at.key);
  if (!value) return value.error();
  out = *value;
  return ok_status();
}

Status read_limit(const Place& at, Config& config) {
  auto& out = at.key == "client_connections"      ? config.client_connections
              : at.key == "client_requests_per_s" ? config.client_requests_per_s
                                                  : config.client_work_per_s;
  return read_number(at, 0, kMostLimit, out);
}

Status merge_waivers(const Place& at, std::vector<Waiver>& out) {
  auto given = read_waivers(at.node, at.file);
  if (!given) return given.error();
  for (auto& each : *given) {
    const auto known =
        std::find_if(out.begin(), out.end(), [&](const Waiver& old) { return old.id == each.id; });
    if (known != out.end()) {
      *known = std::move(each);
    } else {
      out.push_back(std::move(each));
    }
  }
  return ok_status();
}

Status read_key(const Place& at, Config& config) {
  if (at.key == "profile") return read_into(at, config.profile);
  if (at.key == "profile_dirs") return read_dirs(at, config.profile_dirs);
  if (at.key == "listen") return read_listen(at, config.listen);
  if (at.key == "allowed_hosts") return read_into(at, config.allowed_hosts);
  if (at.key == "state_dir") return read_absolute(at, config.state_dir);
  if (at.key == "golden") return read_absolute(at, config.golden);
  if (at.key == "labels") return read_labels(at, config.labels);
  if (at.key == "numa_nodes") return read_nodes(at, config.node_overrides);
  if (at.key == "waivers") return merge_waivers(at, config.waivers);
  if (at.key == "refresh_s") {
    config.refresh_is_set = true;
    return read_number(at, 1, kMostRefresh, config.refresh_s);
  }
  if (at.key == "access_log") return read_switch(at, config.access_log);
  return read_limit(at, config);
}

Status merge_file(const std::string& file, Config& config) {
  const auto document = load_yaml(file);
  if (!document) return document.error();
  config.files.push_back(file);
  if (document->kind == YamlNode::Kind::null) return ok_status();  // nothing but comments
  if (auto status = yaml_keys(*document, kKeys, file, "a configuration"); !status) return status;
  for (const auto& entry : document->entries) {
    if (auto status = read_key({entry.value, file, entry.key}, config); !status) return status;
  }
  return ok_status();
}

// The names of *.yaml in `dir`, sorted; none if there is no such directory.
Result<std::vector<std::string>> drop_ins(const std::string& dir) {
  std::vector<std::string> files;
  DIR* open = ::opendir(dir.c_str());
  if (open == nullptr) {
    if (errno == ENOENT || errno == ENOTDIR) return files;
    return Error{"cannot list", dir, errno};
  }
  while (const dirent* entry = ::readdir(open)) {
    const std::string_view name = entry->d_name;
    if (!name.starts_with('.') && name.ends_with(".yaml"))
      files.push_back(dir + '/' + entry->d_name);
  }
  ::closedir(open);
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Result<Config> load_config(const std::string& file, bool must_exist) {
  Config config;
  auto status = merge_file(file, config);
  if (!status && (must_exist || status.error().err != ENOENT)) return status.error();
  const auto slash = file.rfind('/');
  const auto dir = slash == std::string::npos ? std::string(".") : file.substr(0, slash);
  const auto others = drop_ins(dir + "/config.d");
  if (!others) return others.error();
  for (const auto& each : *others) {
    status = merge_file(each, config);
    if (!status) return status.error();
  }
  return config;
}

}  // namespace lk
