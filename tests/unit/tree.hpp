// A small captured tree in a temporary directory, removed with the object.
//
//   Tree tree{{"proc/cmdline", "quiet\n"}, {"sys/class/x/y", "1\n"}};
//   tree.link("sys/class/nvme/nvme0", "../../devices/...");
#pragma once

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <utility>

#include "base/root.hpp"

namespace lk::test {

class Tree {
 public:
  Tree(std::initializer_list<std::pair<std::string, std::string>> files = {}) {
    std::string name = (std::filesystem::temp_directory_path() / "lk-tree-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
    std::filesystem::create_directories(directory_ / "sys");
    for (const auto& [path, content] : files) file(path, content);
  }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;
  ~Tree() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  void file(const std::string& path, const std::string& content) {
    std::filesystem::create_directories((directory_ / path).parent_path());
    std::ofstream(directory_ / path, std::ios::binary) << content;
  }
  void dir(const std::string& path) { std::filesystem::create_directories(directory_ / path); }
  void link(const std::string& path, const std::string& target) {
    std::filesystem::create_directories((directory_ / path).parent_path());
    std::filesystem::create_symlink(target, directory_ / path);
  }

  std::string path() const { return directory_.string(); }
  Root root() const { return *Root::captured(path()); }

 private:
  std::filesystem::path directory_;
};

}  // namespace lk::test
