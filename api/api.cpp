#include "api/api.hpp"

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

}  // namespace lk
