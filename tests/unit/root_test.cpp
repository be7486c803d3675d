#include "base/root.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "tests/unit/tree.hpp"

using lk::Root;
using lk::test::Tree;

TEST_CASE("root: a captured tree needs sys/ or proc/") {
  Tree tree;
  CHECK(Root::captured(tree.path()).ok());
  const auto without = Root::captured(tree.path() + "/sys");
  REQUIRE_FALSE(without.ok());
  CHECK(without.error().message() ==
        "not a captured tree, it holds neither sys/ nor proc/: " + tree.path() + "/sys");
  const auto missing = Root::captured(tree.path() + "/nowhere");
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().err == ENOENT);
}

TEST_CASE("root: reads files and says why it cannot") {
  Tree tree{{"sys/a", "text\n"}};
  tree.dir("sys/dir");
  const auto root = tree.root();
  CHECK(*root.read("sys/a") == "text\n");
  CHECK(*root.read("/sys/a") == "text\n");
  CHECK(root.read("sys/b").error().message() ==
        "cannot open sys/b: No such file or directory (ENOENT)");
  CHECK(root.read("sys/dir").error().err == EISDIR);
}

TEST_CASE("root: no link leads out of a captured tree") {
  Tree tree{{"sys/inside", "inside\n"}, {"etc/hostname", "captured\n"}};
  tree.link("sys/absolute", "/etc/hostname");
  tree.link("sys/dots", "../../../../../../etc/hostname");
  tree.link("sys/loop", "loop");
  tree.link("sys/out", "/proc/self/root/etc/passwd");
  const auto root = tree.root();
  CHECK(*root.read("sys/absolute") == "captured\n");
  CHECK(*root.read("sys/dots") == "captured\n");
  CHECK(root.read("sys/loop").error().err == ELOOP);
  CHECK(root.read("sys/out").error().err == ENOENT);
  CHECK(*root.real_path("sys/absolute") == "etc/hostname");
  CHECK(*root.link_target("sys/dots") == "../../../../../../etc/hostname");
}

TEST_CASE("root: links are resolved to the same path without /proc") {
  Tree tree{{"sys/devices/a/b/value", "1\n"}};
  tree.link("sys/class/x", "../devices/./a/b");
  tree.link("sys/chain", "class/x/../b");
  tree.link("sys/absolute", "/sys/chain/value");
  tree.link("sys/out", "../../../../sys/devices/a");
  tree.link("sys/loop", "loop");
  const auto root = tree.root();
  for (const char* path : {"sys/class/x", "sys/chain", "sys/absolute", "sys/out", "sys/devices/a",
                           "sys/class/x/value"}) {
    CAPTURE(path);
    CHECK(*root.resolve_links(path) == *root.real_path(path));
  }
  CHECK(*root.resolve_links("/sys/chain/") == "sys/devices/a/b");
  CHECK(root.resolve_links("sys/loop").error().err == ELOOP);
  CHECK(root.resolve_links("sys/none").error().err == ENOENT);
}

TEST_CASE("root: a FIFO, and more than a file of this kind can hold, are refused at once") {
  Tree tree{{"sys/large", std::string(1 << 20, '7')}};
  REQUIRE(::mkfifo((tree.path() + "/sys/fifo").c_str(), 0600) == 0);
  const auto root = tree.root();
  CHECK(root.read("sys/fifo").error().err == EINVAL);
  CHECK(root.read("sys/large").error().err == EFBIG);
  CHECK((*root.read("sys/large", Root::kTableLimit)).size() == 1 << 20);
  CHECK((*root.read_start("sys/large", 63)).size() == 64);
}

TEST_CASE("root: lists names in order") {
  Tree tree{{"sys/b", ""}, {"sys/a", ""}, {"sys/c/d", ""}};
  CHECK(*tree.root().list("sys") == std::vector<std::string>{"a", "b", "c"});
  CHECK(tree.root().list("sys/a").error().err == ENOTDIR);
  CHECK(tree.root().list("sys/none").error().message() ==
        "cannot list sys/none: No such file or directory (ENOENT)");
}

TEST_CASE("root: the live root reads this host") {
  const auto root = Root::live();
  REQUIRE(root.ok());
  CHECK(root->is_live());
  CHECK(root->read("proc/self/status").ok());
  CHECK((*root->real_path("proc/self/status")).starts_with("proc/"));
}
