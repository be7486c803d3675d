#include "tuners/profile.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

using namespace lk;

namespace {

namespace fs = std::filesystem;

// A folder of profiles that goes away with the test.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "lk-profiles-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / (name + ".yaml")) << text;
  }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

std::string error_of(const std::string& text) {
  const auto profile = ProfileStore().parse(text, "p.yaml");
  return profile ? "no error" : profile.error().message();
}

std::string with_checks(const std::string& checks) {
  return "name: p\nchecks:\n" + checks;
}

const Check& check_of(const Profile& profile, const std::string& id) {
  for (const auto& check : profile.checks) {
    if (check.id == id) return check;
  }
  FAIL("no check ", id);
  return profile.checks.front();
}

}  // namespace

TEST_CASE("profile: every mistake is refused with file, line and the nearest name") {
  struct Case {
    std::string text;
    std::string error;
  };
  const std::vector<Case> cases{
      {"", "p.yaml:1: a profile must be a map of keys and values"},
      {"checks: []\n", "p.yaml:1: the profile has no name"},
      {"name: p\ncheks: []\n", "p.yaml:2: unknown key \"cheks\", is \"checks\" meant?"},
      {"name: p\nname: q\n", "p.yaml:2: key \"name\" stands twice"},
      {"name: ../p\n", "p.yaml:1: \"../p\" is not a profile's name (a-z, 0-9, . _ -)"},
      {"name: p\nchecks: {}\n", "p.yaml:2: checks must be a list"},
      {"name: [p]\n", "p.yaml:1: name must be a text"},
      {"name: !!str p\n", "p.yaml:1: tags are not supported"},
      {"name: &a p\ndescription: *a\n", "p.yaml:1: anchors are not supported"},
      {"name: p\nextends: balancd\n",
       "p.yaml:2: unknown profile \"balancd\", is \"balanced\" "
       "meant?"},
      {"name: p\nextends: [report, report]\n", "p.yaml:2: \"report\" stands twice in extends"},
      {"name: p\nvariables: {a: [1]}\n", "p.yaml:2: a variable must be a text"},
      {with_checks("  - severity: info\n"), "p.yaml:3: a check needs a knob or an id"},
      {with_checks("  - knob: cpu.govenor\n"),
       "p.yaml:3: unknown knob \"cpu.govenor\", is "
       "\"cpu.governor\" meant?"},
      {with_checks("  - id: cpu.govenor\n"),
       "p.yaml:3: unknown check without a knob "
       "\"cpu.govenor\", is \"cpu.governor\" meant?"},
      {with_checks("  - knob: cpu.smt\n    expct: x\n"),
       "p.yaml:4: unknown key \"expct\", is "
       "\"expect\" meant?"},
      {with_checks("  - knob: cpu.smt\n  - knob: cpu.smt\n"),
       "p.yaml:4: check \"cpu.smt\" stands twice; the first is on line 3"},
      {with_checks("  - knob: mem.swappiness\n    expect: ten\n"),
       "p.yaml:4: expect: mem.swappiness is a number, not the word \"ten\""},
      {with_checks("  - knob: mem.swappiness\n    expect: \"<= ten\"\n"),
       "p.yaml:4: unknown number of mem.swappiness \"ten\""},
      {with_checks("  - knob: cpu.governor\n    expect: \"<= 3\"\n"),
       "p.yaml:4: expect: cpu.governor is a word and cannot be compared with a number"},
      {with_checks("  - knob: cpu.governor\n    expect: 3\n"),
       "p.yaml:4: expect: cpu.governor is a word, not the number 3"},
      {with_checks("  - knob: cpu.turbo\n    expect: true\n"),
       "p.yaml:4: expect: \"true\" is not a value; switches are \"on\" and \"off\""},
      {with_checks("  - knob: nvme.link\n    expect: ful\n"),
       "p.yaml:4: unknown value of nvme.link \"ful\", is \"full\" meant?"},
      {with_checks("  - knob: cpu.turbo\n    expect: {a: b}\n"),
       "p.yaml:4: expect must be a list of texts"},
      {with_checks("  - knob: cpu.smt\n    severity: wraning\n"),
       "p.yaml:4: unknown severity \"wraning\", is \"warning\" meant?"},
      {with_checks("  - knob: cpu.smt\n    tune: safe\n"),
       "p.yaml:4: tune: cpu.smt is never written; only \"never\" fits"},
      {with_checks("  - knob: blk.scheduler\n    tune: safe\n"),
       "p.yaml:4: tune: writing blk.scheduler is disruptive; say \"disruptive\" or \"never\""},
      {with_checks("  - knob: cpu.smt\n    enforce: true\n"),
       "p.yaml:4: enforce needs tune: safe or tune: disruptive"},
      {with_checks("  - knob: cpu.smt\n    enforce: yes\n"),
       "p.yaml:4: enforce must be true or false"},
      {with_checks("  - knob: cpu.smt\n    disabled: 1\n"),
       "p.yaml:4: disabled must be true or false"},
      {with_checks("  - knob: cpu.smt\n    where: {modl: x}\n"),
       "p.yaml:4: unknown key \"modl\", is \"model\" meant?"},
      {with_checks("  - knob: cpu.smt\n    where: {role: bot}\n"),
       "p.yaml:4: unknown role \"bot\", is \"boot\" meant?"},
      {with_checks("  - knob: cpu.smt\n    where: {label: site}\n"),
       "p.yaml:4: label must be \"key=value\""},
      {with_checks("  - knob: cpu.smt\n    where: {locality: node}\n"),
       "p.yaml:4: unknown locality \"node\"; known are drive"},
      {with_checks("  - knob: mem.swappiness\n    expect: \"<= ${swap}\"\n") +
           "variables: {swp: 1}\n",
       "p.yaml:4: unknown variable \"swap\", is \"swp\" meant?"},
      {with_checks("  - knob: mem.swappiness\n    expect: \"${swap\"\n"),
       "p.yaml:4: \"${\" without \"}\" in \"${swap\""},
      {"name: p\nchecks: " + std::string(40, '[') + std::string(40, ']') + "\n",
       "p.yaml:2: nested too deeply"},
  };
  for (const auto& each : cases) {
    CAPTURE(each.text);
    const auto error = error_of(each.text);
    CHECK_MESSAGE(error.starts_with(each.error), error);
  }
}

TEST_CASE("profile: a name that nobody has") {
  const auto error = ProfileStore().load("balancd").error().message();
  CHECK(error == "unknown profile \"balancd\", is \"balanced\" meant?");
  CHECK_FALSE(ProfileStore().load("../../etc/passwd").ok());
  CHECK_FALSE(ProfileStore({"/nonexistent"}).load("").ok());
}

TEST_CASE("profile: bases are merged by check and key, later wins") {
  const Folder folder;
  folder.write("a",
               "name: a\nvariables: {swap: 60}\nchecks:\n"
               "  - {knob: mem.swappiness, expect: \"<= ${swap}\", severity: warning, "
               "tune: safe, why: from a}\n"
               "  - {knob: cpu.smt}\n");
  folder.write("b",
               "name: b\nchecks:\n  - {knob: mem.swappiness, severity: critical}\n"
               "  - {id: second, knob: mem.swappiness, expect: \"> 0\"}\n");
  folder.write("c",
               "name: c\nextends: [a, b]\nvariables: {swap: 5}\nchecks:\n"
               "  - {id: cpu.smt, disabled: true}\n  - {id: second, expect: ~}\n");
  const ProfileStore store({folder.path()});
  const auto c = store.load("c");
  REQUIRE_MESSAGE(c.ok(), (c ? "" : c.error().message()));
  REQUIRE(c->checks.size() == 2);
  const auto& swap = check_of(*c, "mem.swappiness");
  CHECK(swap.expect->text == "<= 5");  // the variable of the profile that extends
  CHECK(swap.severity == Severity::critical);
  CHECK(swap.tune == Tune::safe);
  CHECK(swap.why == "from a");
  CHECK(swap.origin.ends_with("b.yaml:3"));
  CHECK_FALSE(check_of(*c, "second").expect.has_value());
  CHECK(c->extends == std::vector<std::string>{"a", "b"});
}

TEST_CASE("profile: circles are named; a hidden profile of the same name can be extended") {
  const Folder low;
  const Folder high;
  low.write("a", "name: a\nextends: b\n");
  low.write("b", "name: b\nextends: a\n");
  low.write("own", "name: own\nchecks: [{knob: cpu.smt}]\n");
  high.write("own", "name: own\nextends: own\nchecks: [{knob: mem.thp}]\n");
  high.write("alone", "name: alone\nextends: alone\n");
  high.write("other", "name: wrong\n");
  const ProfileStore store({low.path(), high.path()});
  const auto circle = store.load("a").error().message();
  CHECK_MESSAGE(circle.find("b.yaml:2: extends goes in a circle: a -> b -> a") != std::string::npos,
                circle);
  const auto own = store.load("own");
  REQUIRE(own.ok());
  CHECK(own->checks.size() == 2);
  CHECK_FALSE(store.load("alone").ok());
  CHECK(store.load("other").error().message().find("the profile in it \"wrong\"") !=
        std::string::npos);
  CHECK((*ProfileStore({high.path(), low.path()}).load("own")).checks.size() == 1);
}

TEST_CASE("profile: the list shows broken ones with their error") {
  const Folder folder;
  folder.write("mine", "name: mine\ndescription: my own\nextends: balanced\n");
  folder.write("broken", "name: broken\nchecks: [{knob: nvme.lnk}]\n");
  folder.write("Not A Name", "name: x\n");
  std::map<std::string, ProfileStore::Entry> entries;
  for (const auto& entry : ProfileStore({folder.path()}).list()) entries[entry.name] = entry;
  CHECK(entries.size() == 7);
  CHECK(entries["mine"].valid);
  CHECK(entries["mine"].description == "my own");
  CHECK(entries["mine"].file == folder.path() + "/mine.yaml");
  CHECK_FALSE(entries["broken"].valid);
  CHECK(entries["broken"].description.find("is \"nvme.link\" meant?") != std::string::npos);
  CHECK(entries["balanced"].file == "built-in:balanced.yaml");
}

TEST_CASE("profile: the shipped ones are valid and say what they are for") {
  const ProfileStore store;
  for (const auto* name : {"report", "balanced", "nvme-throughput", "nvme-latency", "nvme-max"}) {
    CAPTURE(name);
    const auto profile = store.load(name);
    REQUIRE_MESSAGE(profile.ok(), (profile ? "" : profile.error().message()));
    CHECK_FALSE(profile->description.empty());
    CHECK_FALSE(profile->checks.empty());
  }
  const auto report = store.load("report");
  CHECK(report->checks.size() == knobs().size());
  for (const auto& check : report->checks) CHECK_FALSE(check.expect.has_value());
}

TEST_CASE("profile: as JSON") {
  const auto profile = ProfileStore().load("nvme-throughput");
  const auto text = profile_json(*profile);
  CHECK(text.find("\"id\":\"cpu.governor\",\"knob\":\"cpu.governor\",\"expect\":\"performance\"") !=
        std::string::npos);
  CHECK(text.find("\"expect\":null") != std::string::npos);
}
