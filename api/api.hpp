// What handlers work with.
#pragma once

#include <chrono>
#include <functional>

#include "api/http_server.hpp"
#include "api/metrics.hpp"
#include "service/engine.hpp"

namespace lk {

using Text = std::shared_ptr<const std::string>;

// Texts that are built once and sent often. Those made from a snapshot live as long as it is the
// newest. For the event loop's thread alone.
class TextCache {
 public:
  // The text under `key` that was made from `snapshot`, else what `make` returns.
  Text get(const std::shared_ptr<const Snapshot>& snapshot, const std::string& key,
           const std::function<std::string()>& make);

 private:
  std::shared_ptr<const Snapshot> snapshot_;
  std::map<std::string, Text> texts_;
};

// Profiles as they are on disk, looked at again every two seconds at most: reading and parsing all
// of them takes longer than one request may keep the others waiting.
class ProfileCache {
 public:
  explicit ProfileCache(Engine& engine) : engine_(engine) {}

  const std::vector<ProfileStore::Entry>& entries();
  Result<Text> json(const std::string& name);  // a ProfileView

 private:
  void forget_old();

  Engine& engine_;
  std::chrono::steady_clock::time_point since_;
  std::optional<std::vector<ProfileStore::Entry>> entries_;
  std::map<std::string, Text> texts_;
};

struct Api {
  explicit Api(Engine& from) : engine(from), profiles(from) {}

  Engine& engine;
  RequestMetrics metrics;
  TextCache cache;
  ProfileCache profiles;
  std::function<HttpCounters()> http_counters = [] { return HttpCounters{}; };
};

}  // namespace lk
