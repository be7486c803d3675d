#include "api/api.hpp"

#include "api/views.hpp"
#include "base/json_write.hpp"

namespace lk {

Text TextCache::get(const std::shared_ptr<const Snapshot>& snapshot, const std::string& key,
                    const std::function<std::string()>& make) {
  if (snapshot != snapshot_) {
    texts_.clear();
    snapshot_ = snapshot;
  }
  auto& text = texts_[key];
  if (!text) text = std::make_shared<const std::string>(make());
  return text;
}

void ProfileCache::forget_old() {
  const auto now = std::chrono::steady_clock::now();
  if (now - since_ < std::chrono::seconds(2)) return;
  since_ = now;
  entries_.reset();
  texts_.clear();
}

const std::vector<ProfileStore::Entry>& ProfileCache::entries() {
  forget_old();
  if (!entries_) entries_ = engine_.profiles().list();
  return *entries_;
}

Result<Text> ProfileCache::json(const std::string& name) {
  forget_old();
  if (const auto found = texts_.find(name); found != texts_.end()) return found->second;
  const auto profile = engine_.profiles().load(name);
  if (!profile) return profile.error();
  // Names that load are files; there is no end to those that do not.
  return texts_[name] = std::make_shared<const std::string>(to_json(view_of(*profile)));
}

}  // namespace lk
