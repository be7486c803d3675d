#include "service/engine.hpp"

#include <cctype>
#include <cerrno>

#include "base/text.hpp"

namespace lk {

namespace {

std::string weak_tag(const Inventory& inventory, const std::string& digest,
                     const std::string& suffix = "") {
  std::string boot;
  for (const char c : inventory.boot_id) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 && boot.size() < 8) boot += c;
  }
  return "W/\"" + boot + '-' + std::to_string(inventory.generation) + '-' + digest.substr(0, 8) +
         suffix + '"';
}

}  // namespace

Engine::Engine(Config config, std::string executable, Reader::Limits limits)
    : config_(std::move(config)),
      profiles_(config_.profile_dirs),
      reader_(std::move(executable), limits) {}

Status Engine::refresh() {
  const std::lock_guard one_at_a_time(refreshing_);
  ReaderRequest request;
  {
    const std::lock_guard lock(mutex_);
    request.root = config_.root;
    request.node_overrides = config_.node_overrides;
    request.labels = config_.labels;
  }
  auto inventory = reader_.read(std::move(request));
  if (!inventory) {
    const std::lock_guard lock(mutex_);
    last_error_ = inventory.error().message();
    return inventory.error();
  }
  publish(*std::move(inventory));
  return ok_status();
}

void Engine::publish(Inventory inventory) {
  auto next = std::make_shared<Snapshot>();
  next->digest = fnv_digest(content_digest(inventory));
  const auto last = snapshot();
  const bool changed = !last || last->digest != next->digest;
  const std::int64_t generation = last ? last->inventory.generation : 0;
  inventory.generation = generation + (changed ? 1 : 0);
  next->inventory = std::move(inventory);
  next->json = inventory_json(next->inventory);
  next->etag = weak_tag(next->inventory, next->digest);
  const std::lock_guard lock(mutex_);
  snapshot_ = std::move(next);
  last_error_.clear();
  if (changed) {
    audits_.clear();
    ++audits_epoch_;
  }
}

std::shared_ptr<const Snapshot> Engine::snapshot() const {
  const std::lock_guard lock(mutex_);
  return snapshot_;
}

Result<std::shared_ptr<const AuditAnswer>> Engine::audit(const std::string& name) const {
  std::shared_ptr<const Snapshot> from;
  ProfileStore store;
  std::int64_t epoch = 0;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = audits_.find(name); found != audits_.end()) return found->second;
    from = snapshot_;
    store = profiles_;
    epoch = audits_epoch_;
  }
  if (!from) return Error{"no inventory has been read yet", {}, EAGAIN};
  const auto profile = store.load(name);
  if (!profile) return profile.error();
  auto answer = std::make_shared<AuditAnswer>();
  answer->audit = run_audit(from->inventory, *profile);
  answer->json = audit_json(answer->audit);
  answer->etag = weak_tag(from->inventory, from->digest, '-' + fnv_digest(answer->json));
  const std::lock_guard lock(mutex_);
  // An answer from what is outdated by now is right for its caller, but must not be kept.
  if (epoch == audits_epoch_) audits_[name] = answer;
  return std::shared_ptr<const AuditAnswer>(answer);
}

void Engine::reload(const Config& config) {
  const std::lock_guard lock(mutex_);
  config_.labels = config.labels;
  config_.node_overrides = config.node_overrides;
  config_.profile = config.profile;
  config_.profile_dirs = config.profile_dirs;
  config_.refresh_s = config.refresh_s;
  profiles_ = ProfileStore(config_.profile_dirs);
  audits_.clear();
  ++audits_epoch_;
}

Config Engine::config() const {
  const std::lock_guard lock(mutex_);
  return config_;
}

ProfileStore Engine::profiles() const {
  const std::lock_guard lock(mutex_);
  return profiles_;
}

std::string Engine::last_error() const {
  const std::lock_guard lock(mutex_);
  return last_error_;
}

}  // namespace lk
