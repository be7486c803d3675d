#include "service/config.hpp"

#include <doctest/doctest.h>

#include "base/listen_address.hpp"

#include "tests/unit/tree.hpp"

using namespace lk;

namespace {

std::string refusal(const std::string& text) {
  test::Tree dir{{"config.yaml", text}};
  const auto config = load_config(dir.path() + "/config.yaml", true);
  if (config) return "accepted";
  auto message = config.error().message();
  if (const auto at = message.find(dir.path()); at == 0) message.erase(0, dir.path().size() + 1);
  return message;
}

}  // namespace

TEST_CASE("config: every key") {
  test::Tree dir{{"config.yaml",
                  "profile: nvme-max\nprofile_dirs: [/a, /b]\nlisten:\n  - 127.0.0.1:80\n"
                  "  - unix:/run/x.sock\nallowed_hosts: store1\nstate_dir: /s\n"
                  "labels: {rack: \"7\", row: b}\nnuma_nodes:\n  \"0000:3b:00.0\": 1\n"
                  "refresh_s: 5\n"}};
  const auto config = load_config(dir.path() + "/config.yaml", true);
  REQUIRE_MESSAGE(config.ok(), config.error().message());
  CHECK(config->profile == "nvme-max");
  CHECK(config->profile_dirs == std::vector<std::string>{"/a", "/b"});
  CHECK(config->listen == std::vector<std::string>{"127.0.0.1:80", "unix:/run/x.sock"});
  CHECK(config->allowed_hosts == std::vector<std::string>{"store1"});
  CHECK(config->state_dir == "/s");
  CHECK(config->labels.at("rack") == "7");
  CHECK(config->node_overrides.at("0000:3b:00.0") == 1);
  CHECK(config->refresh_s == 5);
}

TEST_CASE("config: config.d is read after the file, by name, and maps are merged") {
  test::Tree dir{{"config.yaml", "profile: a\nlabels: {x: one, y: two}\nrefresh_s: 5\n"},
                 {"config.d/20-b.yaml", "profile: c\n"},
                 {"config.d/10-a.yaml", "profile: b\nlabels: {y: three}\n"},
                 {"config.d/ignored.yaml.bak", "profile: [\n"},
                 {"config.d/.hidden.yaml", "profile: [\n"}};
  const auto config = load_config(dir.path() + "/config.yaml", true);
  REQUIRE_MESSAGE(config.ok(), config.error().message());
  CHECK(config->profile == "c");
  CHECK(config->labels == std::map<std::string, std::string>{{"x", "one"}, {"y", "three"}});
  CHECK(config->refresh_s == 5);
  CHECK(config->files.size() == 3);
}

TEST_CASE("config: a default file may be missing, one asked for may not") {
  test::Tree dir;
  CHECK((*load_config(dir.path() + "/config.yaml", false)).profile == "balanced");
  CHECK(load_config(dir.path() + "/config.yaml", true).error().err == ENOENT);
  test::Tree only{{"config.d/a.yaml", "profile: z\n"}};
  CHECK((*load_config(only.path() + "/config.yaml", false)).profile == "z");
}

TEST_CASE("config: a file of comments changes nothing") {
  CHECK(refusal("# profile: x\n") == "accepted");
}

TEST_CASE("config: what is wrong is named with file and line") {
  CHECK(refusal("profile: a\nlisten_on: x\n")
            .starts_with("config.yaml:2: unknown key \"listen_on\""));
  CHECK(refusal("profle: a\n") == "config.yaml:1: unknown key \"profle\", is \"profile\" meant?");
  CHECK(refusal("changes: off\n").starts_with("config.yaml:1: unknown key \"changes\""));
  CHECK(refusal("profile: a\nprofile: b\n") == "config.yaml:2: key \"profile\" stands twice");
  CHECK(refusal("profile: [a]\n") == "config.yaml:1: profile must be a text");
  CHECK(refusal("\nrefresh_s: soon\n") == "config.yaml:2: refresh_s must be a whole number");
  CHECK(refusal("refresh_s: 0\n") == "config.yaml:1: refresh_s must be 1 to 86400");
  CHECK(refusal("state_dir: relative\n") ==
        "config.yaml:1: state_dir must be an absolute path, not relative");
  CHECK(refusal("numa_nodes:\n  \"0000:3b:00.0\": -1\n").starts_with("config.yaml:2: the node of"));
  CHECK(refusal("numa_nodes: [1]\n").starts_with("config.yaml:1: numa_nodes must be a map"));
  CHECK(refusal("labels: {a: [b]}\n") == "config.yaml:1: label a must be a text");
  CHECK(refusal("listen: [localhost]\n").starts_with("config.yaml:1: \"localhost\""));
  CHECK(refusal("- a\n").starts_with("config.yaml:1: a configuration must be a map"));
  CHECK(refusal("profile: 'a\n").starts_with("config.yaml:"));
}

TEST_CASE("config: addresses to listen on") {
  const auto accepted = [](const std::string& each) { return check_listen({each}).ok(); };
  CHECK(accepted("127.0.0.1:7780"));
  CHECK(accepted("127.9.9.9:1"));
  CHECK(accepted("[::1]:0"));
  CHECK(accepted("localhost:80"));
  CHECK(accepted("unix:/run/x"));
  CHECK(accepted("unix:/" + std::string(106, 'a')));
  for (const std::string wrong :
       {"127.0.0.1", ":80", "::1:80", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:", "unix:run/x",
        "unix:", "0.0.0.0:80", "[::]:80", "192.0.2.1:80", "[::ffff:127.0.0.1]:0", "example.org:80",
        "127.0.0.1:8_0", "127.1:80", "[127.0.0.1]:80"}) {
    CAPTURE(wrong);
    CHECK_FALSE(accepted(wrong));
  }
  CHECK_FALSE(accepted("unix:/" + std::string(107, 'a')));
  CHECK_FALSE(check_listen({}));
  CHECK_FALSE(check_listen({"127.0.0.1:80", "localhost:80"}));
  CHECK_FALSE(check_listen({"unix:/run/x", "unix:/run/x"}));
  CHECK(check_listen({"127.0.0.1:0", "127.0.0.1:0", "[::1]:80", "127.0.0.1:80"}));
}
