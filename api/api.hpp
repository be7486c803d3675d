// What handlers work with.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>

#include "api/http_server.hpp"
#include "api/metrics.hpp"
#include "service/engine.hpp"

namespace lk {

using Text = std::shared_ptr<const std::string>;

// Texts that are built once and sent often. Those made from a snapshot live as long as it is the
// newest. Any thread may ask; none waits for what another makes.
class TextCache {
 public:
  // The text under `key` that was made from `snapshot`, else null.
  Text find(const std::shared_ptr<const Snapshot>& snapshot, const std::string& key);
  // Likewise, else what `make` returns.
  Text get(const std::shared_ptr<const Snapshot>& snapshot, const std::string& key,
           const std::function<std::string()>& make);

 private:
  std::mutex mutex_;
  std::shared_ptr<const Snapshot> snapshot_;
  std::map<std::string, Text> texts_;
};

// Profiles as they are on disk, looked at again every two seconds at most. Any thread may ask; the
// event loop only for what is known, because reading and parsing takes longer than one request may
// keep the others waiting.
class ProfileCache {
 public:
  using Entries = std::shared_ptr<const std::vector<ProfileStore::Entry>>;

  explicit ProfileCache(Engine& engine) : engine_(engine) {}

  Entries known_entries();                   // null if they must be read
  Text known_json(const std::string& name);  // likewise
  Entries entries();
  Result<Text> json(const std::string& name);  // a ProfileView

 private:
  void forget_old();  // with mutex_ held

  Engine& engine_;
  std::mutex mutex_;  // never held while reading
  std::chrono::steady_clock::time_point since_;
  Entries entries_;
  std::map<std::string, Text> texts_;
};

struct Api {
  explicit Api(Engine& from) : engine(from), profiles(from) {}

  Engine& engine;
  RequestMetrics metrics;
  TextCache cache;
  ProfileCache profiles;
  std::function<void()> request_refresh = [] {};
  std::function<HttpCounters()> http_counters = [] { return HttpCounters{}; };
};

}  // namespace lk
