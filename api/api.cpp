#include "api/api.hpp"

#include "api/views.hpp"
#include "base/json_write.hpp"

namespace lk {

Text TextCache::find(const std::shared_ptr<const Snapshot>& snapshot, const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = texts_.find(key);
  return snapshot == snapshot_ && found != texts_.end() ? found->second : nullptr;
}

Text TextCache::get(const std::shared_ptr<const Snapshot>& snapshot, const std::string& key,
                    const std::function<std::string()>& make) {
  if (auto text = find(snapshot, key)) return text;
  auto text = std::make_shared<const std::string>(make());
  const std::lock_guard lock(mutex_);
  if (snapshot != snapshot_) {
    texts_.clear();
    snapshot_ = snapshot;
  }
  texts_[key] = text;
  return text;
}

void ProfileCache::forget_old() {
  const auto now = std::chrono::steady_clock::now();
  if (now - since_ < std::chrono::seconds(2)) return;
  since_ = now;
  entries_.reset();
  texts_.clear();
}

ProfileCache::Entries ProfileCache::known_entries() {
  const std::lock_guard lock(mutex_);
  forget_old();
  return entries_;
}

Text ProfileCache::known_json(const std::string& name) {
  const std::lock_guard lock(mutex_);
  forget_old();
  const auto found = texts_.find(name);
  return found == texts_.end() ? nullptr : found->second;
}

ProfileCache::Entries ProfileCache::entries() {
  if (auto known = known_entries()) return known;
  auto entries =
      std::make_shared<const std::vector<ProfileStore::Entry>>(engine_.profiles().list());
  const std::lock_guard lock(mutex_);
  return entries_ = entries;
}

Result<Text> ProfileCache::json(const std::string& name) {
  if (auto known = known_json(name)) return known;
  const auto profile = engine_.profiles().load(name);
  if (!profile) return profile.error();
  // Names that load are files; there is no end to those that do not.
  auto text = std::make_shared<const std::string>(to_json(view_of(*profile)));
  const std::lock_guard lock(mutex_);
  return texts_[name] = std::move(text);
}

}  // namespace lk
