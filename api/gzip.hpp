// Bodies compressed for clients that take gzip. A text that is sent often is compressed once: the
// result is remembered for as long as the text itself lives, which is until the next generation.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace lk {

class GzipCache {
 public:
  using Text = std::shared_ptr<const std::string>;

  // Smaller ones fit a packet anyway.
  static constexpr std::size_t kLeast = 1400;

  // Null if it must be made. Any thread may ask.
  Text find(const Text& plain);
  // Takes some time: 10 ms for each megabyte.
  Text make(const Text& plain);

 private:
  struct Entry {
    std::weak_ptr<const std::string> plain;
    Text packed;
  };

  std::mutex mutex_;
  std::map<const std::string*, Entry> entries_;
};

}  // namespace lk
