// Runs the examples of docs/profiles.md.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "base/text.hpp"
#include "tuners/profile.hpp"

using namespace lk;

namespace {

std::vector<std::string> lines_of_page() {
  std::ifstream in(std::string(LK_SOURCE_DIR) + "/docs/profiles.md");
  REQUIRE(in.is_open());
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

struct Example {
  std::string profile;
  std::string error;  // empty: it must be valid
};

std::vector<Example> examples() {
  std::vector<Example> all;
  std::string* into = nullptr;
  for (const auto& line : lines_of_page()) {
    if (line == "```yaml") {
      into = &all.emplace_back().profile;
    } else if (line == "```text") {
      into = &all.back().error;
    } else if (line == "```") {
      into = nullptr;
    } else if (into != nullptr) {
      *into += line + "\n";
    }
  }
  return all;
}

// "`a\|b`, `c`" -> {"a|b", "c"}
std::vector<std::string> coded(std::string_view cell) {
  std::vector<std::string> words;
  const auto pieces = split(cell, '`');
  for (std::size_t i = 1; i < pieces.size(); i += 2) {
    std::string word(pieces[i]);
    for (std::size_t at; (at = word.find("\\|")) != std::string::npos;) word.erase(at, 1);
    words.push_back(word);
  }
  return words;
}

// Cells of a table row; "\|" is no border.
std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out(1);
  for (std::size_t i = 1; i < line.size(); ++i) {
    const bool border = line[i] == '|' && line[i - 1] != '\\';
    if (border) {
      out.emplace_back();
    } else {
      out.back() += line[i];
    }
  }
  return out;
}

Value value_of(const std::string& text) {
  if (const auto number = parse_int(text)) return Value{*number};
  return Value{text};
}

}  // namespace

TEST_CASE("docs: the profiles of profiles.md are valid or refused as printed") {
  const auto all = examples();
  REQUIRE(all.size() > 10);
  for (const auto& example : all) {
    CAPTURE(example.profile);
    const auto profile = ProfileStore().parse(example.profile, "p.yaml");
    const auto error = profile ? "" : profile.error().message() + "\n";
    CHECK(error == example.error);
  }
}

TEST_CASE("docs: the expectations of profiles.md are met and not met as printed") {
  bool in_table = false;
  int rows = 0;
  for (const auto& line : lines_of_page()) {
    if (line == "| expect | met by | not met by |") {
      in_table = true;
      continue;
    }
    if (!line.starts_with("|")) in_table = false;
    if (!in_table || line.starts_with("|---")) continue;
    const auto row = cells(line);
    REQUIRE(row.size() >= 3);
    CAPTURE(line);
    const auto wanted = Expectation::parse(coded(row[0]).front());
    REQUIRE(wanted.ok());
    for (const auto& each : coded(row[1])) CHECK(meets(value_of(each), *wanted) == Met::yes);
    for (const auto& each : coded(row[2])) CHECK(meets(value_of(each), *wanted) == Met::no);
    ++rows;
  }
  CHECK(rows > 10);
}

TEST_CASE("docs: profiles.md names every key of where and every number of a knob") {
  std::string page;
  for (const auto& line : lines_of_page()) page += line + "\n";
  for (const auto* key : {"vendor", "model", "driver", "transport", "role", "owner", "locality",
                          "virtualization", "label"}) {
    CHECK(page.find("| `" + std::string(key) + "` |") != std::string::npos);
  }
  for (const Knob* knob : knobs()) {
    for (const auto name : knob->references) {
      CHECK(page.find("<= " + std::string(name) + "` | " + std::string(knob->id)) !=
            std::string::npos);
    }
  }
}
