// YAML in: a small, strict subset, with the line of every node, for the configuration and profiles.
//
// Refused with "file:line: ...": what is not YAML, a key that stands twice, anchors, aliases, tags,
// keys that are not plain words, a second document, more than kMostBytes or kMostDepth, NUL bytes.
// Scalars stay text: "on", "0x10" and "1e3" mean what the reader of the field says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace lk {

struct YamlEntry;

struct YamlNode {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  int line = 1;         // counts from 1
  bool quoted = false;  // a scalar in quotes
  std::string text;     // of a scalar
  std::vector<YamlNode> items;
  std::vector<YamlEntry> entries;  // of a map, in the file's order

  const YamlNode* find(std::string_view key) const;  // null if a map has no such key
};

struct YamlEntry {
  std::string key;
  int line = 1;  // of the key
  YamlNode value;
};

constexpr std::size_t kMostYamlBytes = std::size_t{256} << 10U;
constexpr int kMostYamlDepth = 32;

// An empty text gives a null node. `file` is for messages only.
Result<YamlNode> parse_yaml(std::string_view text, const std::string& file);
// The text of an ordinary file (configuration, profile; not a kernel file), at most
// kMostYamlBytes + some of it: parse_yaml() refuses what is larger.
Result<std::string> read_yaml_file(const std::string& file);
// Both of the above.
Result<YamlNode> load_yaml(const std::string& file);

// "config.yaml:3: what". A line of 0 leaves the number out.
Error yaml_error(const std::string& file, int line, const std::string& what);
// what + `, is "nearest" meant?`, or the list of what is known where nothing is near.
Error yaml_unknown(const std::string& file, int line, const std::string& what,
                   const std::string& name, const std::vector<std::string>& known);

// What an Error of this file says, taken apart again: for programs that show it at its place.
struct YamlFault {
  std::optional<int> line;
  std::string detail;  // without file and line
  std::optional<std::string> nearest;
};
YamlFault yaml_fault(const Error& error, const std::string& file);

// The fields of nodes; `what` names the key in messages.
Status yaml_keys(const YamlNode& node, const std::vector<std::string>& known,
                 const std::string& file, const std::string& what);
Result<std::string> yaml_text(const YamlNode& node, const std::string& file,
                              const std::string& what);
Result<std::int64_t> yaml_integer(const YamlNode& node, const std::string& file,
                                  const std::string& what);
Result<bool> yaml_bool(const YamlNode& node, const std::string& file, const std::string& what);
// A list of texts; one text alone is a list of one.
Result<std::vector<std::string>> yaml_texts(const YamlNode& node, const std::string& file,
                                            const std::string& what);

}  // namespace lk
