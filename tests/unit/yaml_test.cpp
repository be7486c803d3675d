#include "base/yaml.hpp"

#include <cerrno>

#include <doctest/doctest.h>

#include <ctime>

using namespace lk;

namespace {

std::string refusal(std::string_view text) {
  const auto node = parse_yaml(text, "f.yaml");
  return node ? "accepted" : node.error().message();
}

}  // namespace

TEST_CASE("yaml: nodes keep their lines, scalars stay text") {
  const auto node = parse_yaml("# top\na: on\nb:\n  - 1\n  - \"2\"\nc: {d: ~}\n", "f.yaml");
  REQUIRE(node);
  REQUIRE(node->kind == YamlNode::Kind::map);
  REQUIRE(node->entries.size() == 3);
  CHECK(node->entries[0].line == 2);
  CHECK(node->find("a")->text == "on");
  REQUIRE(node->find("b")->items.size() == 2);
  CHECK(node->find("b")->items[1].line == 5);
  CHECK(node->find("b")->items[1].quoted);
  CHECK(node->find("c")->find("d")->kind == YamlNode::Kind::null);
  CHECK(node->find("nothing") == nullptr);
}

TEST_CASE("yaml: an empty text is a null node") {
  CHECK((*parse_yaml("", "f")).kind == YamlNode::Kind::null);
  CHECK((*parse_yaml("# nothing\n", "f")).kind == YamlNode::Kind::null);
}

TEST_CASE("yaml: refusals name file and line") {
  CHECK(refusal("a: 1\nb: 2\na: 3\n") == "f.yaml:3: key \"a\" stands twice");
  CHECK(refusal("a: &x 1\n") == "f.yaml:1: anchors are not supported");
  CHECK(refusal("a: 1\nb: !!int 2\n").starts_with("f.yaml:2: tags are not supported"));
  CHECK(refusal("a: 1\n---\nb: 1\n").find("a second document") != std::string::npos);
  CHECK(refusal("a: [1, 2\nb: 3\n").starts_with("f.yaml:"));
  CHECK(refusal("? [x]\n: 1\n").find("a key must be a plain word") != std::string::npos);
  CHECK(refusal(std::string_view("a: 1\nb: \0\n", 10)) ==
        "f.yaml:2: holds a NUL byte, this is not YAML");
  CHECK(refusal(std::string(100000, '[')).starts_with("f.yaml:1: "));
  CHECK(refusal(std::string(100000, '{')).starts_with("f.yaml:1: "));
  CHECK(refusal("a: 1\nb: 'x\n").starts_with("f.yaml:2: not YAML"));
  CHECK(refusal("a: 1\nb: \"x\n\n\n").starts_with("f.yaml:"));
  CHECK((*parse_yaml("a: |\n  x\n", "f")).find("a")->text == "x\n");
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += "- ";
  CHECK(refusal(deep + "a") == "f.yaml:1: nested too deeply");
  CHECK(refusal(std::string(kMostYamlBytes + 1, 'a')).find("larger than") != std::string::npos);
}

TEST_CASE("yaml: wrong types and unknown keys") {
  const auto node = parse_yaml("profil: 1\nn: \"7\"\nb: yes\nt: [a]\n", "f.yaml");
  REQUIRE(node);
  CHECK(yaml_keys(*node, {"profile", "n", "b", "t"}, "f.yaml", "the file").error().what ==
        "f.yaml:1: unknown key \"profil\", is \"profile\" meant?");
  CHECK_FALSE(yaml_integer(*node->find("n"), "f.yaml", "n"));
  CHECK_FALSE(yaml_bool(*node->find("b"), "f.yaml", "b"));
  CHECK_FALSE(yaml_text(*node->find("t"), "f.yaml", "t"));
  CHECK((*yaml_texts(*node->find("t"), "f.yaml", "t")).size() == 1);
  CHECK((*yaml_texts(*node->find("b"), "f.yaml", "b")).front() == "yes");
}

TEST_CASE("yaml: files that cannot be read") {
  CHECK(load_yaml("/nonexistent/x.yaml").error().err == ENOENT);
  CHECK(load_yaml("/").error().err == EISDIR);
  CHECK_FALSE(load_yaml("/dev/zero"));
}

TEST_CASE("yaml: the largest file of nothing but keys is read in no time") {
  std::string text;
  for (int i = 0; text.size() + 12 < kMostYamlBytes; ++i) text += "k" + std::to_string(i) + ":\n";
  const auto start = std::clock();
  REQUIRE(parse_yaml(text, "f.yaml"));
  CHECK(std::clock() - start < 3 * CLOCKS_PER_SEC);
  const auto twice = parse_yaml(text + "k7:\n", "f.yaml");
  REQUIRE_FALSE(twice);
  CHECK(twice.error().what.find("stands twice") != std::string::npos);
}
