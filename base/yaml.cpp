#include "base/yaml.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <sstream>
#include <unordered_set>

#include "base/text.hpp"
#include "base/user_file.hpp"

namespace lk {

namespace {

struct Refused {
  int line;
  std::string what;
};

// Builds the tree from the parser's events: the library's own tree keeps the first of two equal
// keys without a word and follows aliases without a bound.
class Builder : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    place(make(YamlNode::Kind::null, mark, "", anchor));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Refused{line_of(mark), "aliases are not supported"};
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    auto node = make(YamlNode::Kind::scalar, mark, tag, anchor);
    node.quoted = tag == "!";
    node.text = value;
    place(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    push(make(YamlNode::Kind::list, mark, tag, anchor));
  }
  void OnSequenceEnd() override { pop(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    push(make(YamlNode::Kind::map, mark, tag, anchor));
  }
  void OnMapEnd() override { pop(); }

  YamlNode take() { return std::move(root_); }

 private:
  struct Open {
    YamlNode node;
    bool has_key = false;  // of a map: the next node is the value
    std::string key;
    int key_line = 0;
    std::unordered_set<std::string> keys;
  };

  static int line_of(const YAML::Mark& mark) { return mark.line + 1; }

  static YamlNode make(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
                       YAML::anchor_t anchor) {
    if (anchor != 0) throw Refused{line_of(mark), "anchors are not supported"};
    if (!tag.empty() && tag != "?" && tag != "!") {
      throw Refused{line_of(mark), "tags are not supported: " + tag};
    }
    YamlNode node;
    node.kind = kind;
    node.line = line_of(mark);
    return node;
  }

  void push(YamlNode node) {
    if (open_.size() >= static_cast<std::size_t>(kMostYamlDepth)) {
      throw Refused{node.line, "nested too deeply"};
    }
    if (!open_.empty() && open_.back().node.kind == YamlNode::Kind::map && !open_.back().has_key) {
      throw Refused{node.line, "a key must be a plain word"};
    }
    open_.push_back({std::move(node), false, {}, 0, {}});
  }

  void pop() {
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    place(std::move(node));
  }

  void place(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == YamlNode::Kind::list) {
      parent.node.items.push_back(std::move(node));
    } else if (parent.has_key) {
      parent.node.entries.push_back({std::move(parent.key), parent.key_line, std::move(node)});
      parent.has_key = false;
    } else {
      if (node.kind != YamlNode::Kind::scalar) {
        throw Refused{node.line, "a key must be a plain word"};
      }
      if (!parent.keys.insert(node.text).second) {
        throw Refused{node.line, "key \"" + node.text + "\" stands twice"};
      }
      parent.has_key = true;
      parent.key = std::move(node.text);
      parent.key_line = node.line;
    }
  }

  std::vector<Open> open_;
  YamlNode root_;
};

Result<YamlNode> build(std::string_view text, const std::string& file) {
  try {
    std::istringstream in{std::string(text)};
    YAML::Parser parser(in);
    Builder builder;
    if (!parser.HandleNextDocument(builder)) return YamlNode{};
    YamlNode root = builder.take();
    Builder second;
    if (parser.HandleNextDocument(second)) {
      return yaml_error(file, second.take().line, "a second document; one file holds one");
    }
    return root;
  } catch (const Refused& refused) {
    return yaml_error(file, refused.line, refused.what);
  } catch (const YAML::Exception& error) {
    return yaml_error(file, error.mark.line + 1, "not YAML: " + error.msg);
  }
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const YamlEntry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

Error yaml_error(const std::string& file, int line, const std::string& what) {
  return Error{file + (line > 0 ? ":" + std::to_string(line) : "") + ": " + what, {}, 0};
}

Error yaml_unknown(const std::string& file, int line, const std::string& what,
                   const std::string& name, const std::vector<std::string>& known) {
  std::string text = "unknown " + what + " \"" + name + "\"";
  if (const auto near = nearest(name, known); !near.empty()) {
    text += ", is \"" + near + "\" meant?";
  } else if (!known.empty()) {
    text += "; known are";
    for (std::size_t i = 0; i < known.size(); ++i) text += (i == 0 ? " " : ", ") + known[i];
  }
  return yaml_error(file, line, text);
}

YamlFault yaml_fault(const Error& error, const std::string& file) {
  YamlFault out{std::nullopt, error.message(), std::nullopt};
  if (out.detail.starts_with(file + ":")) {
    std::string_view rest = std::string_view(out.detail).substr(file.size() + 1);
    const auto colon = rest.find(": ");
    const auto line = parse_int(rest.substr(0, colon));
    if (colon != std::string_view::npos && line) {
      out.line = static_cast<int>(*line);
      rest.remove_prefix(colon + 2);
    }
    out.detail = std::string(trim(rest));
  }
  constexpr std::string_view kIs = ", is \"";
  constexpr std::string_view kMeant = "\" meant?";
  const auto is = out.detail.rfind(kIs);
  if (is != std::string::npos && out.detail.ends_with(kMeant)) {
    const auto start = is + kIs.size();
    out.nearest = out.detail.substr(start, out.detail.size() - kMeant.size() - start);
  }
  return out;
}

Result<YamlNode> parse_yaml(std::string_view text, const std::string& file) {
  if (text.size() > kMostYamlBytes) {
    return yaml_error(file, 0, "larger than " + std::to_string(kMostYamlBytes) + " bytes");
  }
  if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
    const auto line =
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(nul), '\n');
    return yaml_error(file, static_cast<int>(line) + 1, "holds a NUL byte, this is not YAML");
  }
  // The library misses the end of a quote that is never closed if a line end comes after it.
  const auto last = text.find_last_not_of(" \t\r\n");
  const auto bare = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
  if (auto node = build(bare, file); !node) return node;
  return build(text, file);
}

Result<std::string> read_yaml_file(const std::string& file) {
  return read_user_file(file, kMostYamlBytes);
}

Result<YamlNode> load_yaml(const std::string& file) {
  const auto text = read_yaml_file(file);
  if (!text) return text.error();
  return parse_yaml(*text, file);
}

Status yaml_keys(const YamlNode& node, const std::vector<std::string>& known,
                 const std::string& file, const std::string& what) {
  if (node.kind != YamlNode::Kind::map) {
    return yaml_error(file, node.line, what + " must be a map of keys and values");
  }
  for (const auto& entry : node.entries) {
    if (std::find(known.begin(), known.end(), entry.key) == known.end()) {
      return yaml_unknown(file, entry.line, "key", entry.key, known);
    }
  }
  return ok_status();
}

Result<std::string> yaml_text(const YamlNode& node, const std::string& file,
                              const std::string& what) {
  if (node.kind != YamlNode::Kind::scalar) {
    return yaml_error(file, node.line, what + " must be a text");
  }
  return node.text;
}

Result<std::int64_t> yaml_integer(const YamlNode& node, const std::string& file,
                                  const std::string& what) {
  const auto wrong = yaml_error(file, node.line, what + " must be a whole number");
  if (node.kind != YamlNode::Kind::scalar || node.quoted) return wrong;
  const auto number = parse_int(node.text);
  if (!number) return wrong;
  return *number;
}

Result<bool> yaml_bool(const YamlNode& node, const std::string& file, const std::string& what) {
  if (node.kind == YamlNode::Kind::scalar && !node.quoted) {
    if (node.text == "true") return true;
    if (node.text == "false") return false;
  }
  return yaml_error(file, node.line, what + " must be true or false");
}

Result<std::vector<std::string>> yaml_texts(const YamlNode& node, const std::string& file,
                                            const std::string& what) {
  std::vector<std::string> texts;
  if (node.kind == YamlNode::Kind::scalar) {
    texts.push_back(node.text);
    return texts;
  }
  if (node.kind != YamlNode::Kind::list) {
    return yaml_error(file, node.line, what + " must be a list of texts");
  }
  for (const auto& item : node.items) {
    auto text = yaml_text(item, file, "each of " + what);
    if (!text) return text.error();
    texts.push_back(*std::move(text));
  }
  return texts;
}

}  // namespace lk
