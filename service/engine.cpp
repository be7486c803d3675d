#include "service/engine.hpp"

#include <cctype>
#include <cerrno>

#include "base/json_write.hpp"
#include "base/moment.hpp"
#include "base/text.hpp"
#include "base/user_file.hpp"

namespace lk {

namespace {

// Devices that hang make one refresh longer, until they are known.
constexpr std::chrono::seconds kSlack{5};

std::string weak_tag(const Inventory& inventory, const std::string& digest,
                     const std::string& suffix = "") {
  std::string boot;
  for (const char c : inventory.boot_id) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 && boot.size() < 8) boot += c;
  }
  return "W/\"" + boot + '-' + std::to_string(inventory.generation) + '-' + digest.substr(0, 8) +
         suffix + '"';
}

constexpr std::size_t kMostInventory = std::size_t{256} << 20U;
// A host whose drives come and go all day must not wear out its boot disk.
constexpr std::chrono::seconds kKeepPause{60};
// A refresh that waited for a hung device until its deadline says nothing about the cost.
constexpr std::chrono::milliseconds kMostTaken{2000};

std::shared_ptr<const AuditAnswer> sealed(Audit audit, const Snapshot& from) {
  auto answer = std::make_shared<AuditAnswer>();
  answer->audit = std::move(audit);
  answer->json = audit_json(answer->audit);
  answer->etag = weak_tag(from.inventory, from.digest, '-' + fnv_digest(answer->json));
  return answer;
}

}  // namespace

bool says_anything(const Inventory& inventory) {
  return inventory.host.kernel || inventory.cpu.online || inventory.cpu.present ||
         !inventory.numa.nodes.empty() || !inventory.nvme.controllers.empty() ||
         !inventory.block.empty() || !inventory.irqs.empty();
}

Engine::Engine(Config config, std::string executable, Reader::Limits limits)
    : config_(std::move(config)),
      profiles_(config_.profile_dirs),
      waivers_(std::make_shared<const std::vector<Waiver>>()),
      holding_(waivers_),
      reader_(std::move(executable), limits) {
  take_waivers(config_.waivers, now_seconds(), false);
}

Status Engine::refresh(Refresh how) {
  const std::lock_guard one_at_a_time(refreshing_);
  ReaderRequest request;
  {
    const std::lock_guard lock(mutex_);
    request.root = config_.root;
    request.node_overrides = config_.node_overrides;
    request.labels = config_.labels;
    request.ask_drives = how.ask_drives;
  }
  const auto start = std::chrono::steady_clock::now();
  auto inventory = reader_.read(request);
  if (!inventory) return failed(inventory.error());
  const auto last = snapshot();
  if (last && says_anything(last->inventory) && !says_anything(*inventory)) {
    return failed({"nothing could be read any more of", request.root, 0});
  }
  publish(*std::move(inventory), how);
  const auto taken = std::chrono::steady_clock::now() - start;
  {
    const std::lock_guard lock(mutex_);
    taken_ = std::min(std::chrono::duration_cast<std::chrono::milliseconds>(taken), kMostTaken);
  }
  // After a reload, or where the profile could not be read. What is wrong, requests will say.
  if (how.with_audit) static_cast<void>(audit(config().profile));
  return ok_status();
}

std::chrono::milliseconds Engine::period() const {
  const std::lock_guard lock(mutex_);
  return period_locked();
}

// With mutex_ held.
std::chrono::milliseconds Engine::period_locked() const {
  const std::chrono::milliseconds wanted = std::chrono::seconds(config_.refresh_s);
  return config_.refresh_is_set ? wanted : std::max(wanted, kRest * taken_);
}

Status Engine::failed(Error error) {
  const std::lock_guard lock(mutex_);
  last_error_ = error.message();
  last_success_ = false;
  return error;
}

void Engine::publish(Inventory inventory, const Refresh& how) {
  auto next = std::make_shared<Snapshot>();
  if (how.texts) next->digest = fnv_digest(content_digest(inventory));
  const auto last = snapshot();
  const bool changed = !last || !how.texts || last->digest != next->digest;
  const std::int64_t generation = last ? last->inventory.generation : 0;
  inventory.generation = generation + (changed ? 1 : 0);
  next->inventory = std::move(inventory);
  if (how.texts) {
    next->json = inventory_json(next->inventory);
    next->etag = weak_tag(next->inventory, next->digest);
  }
  std::vector<VerdictChange> findings;
  if (changed && how.with_audit) {
    findings = publish_with_audit(next);
  } else {
    const std::lock_guard lock(mutex_);
    show(next, changed);
  }
  if (changed) {
    if (last) tell_change(*last, *next);
    if (how.texts) compare(*next);
    for (const auto& each : findings) events_.add("finding", to_json(each));
  }
  keep(next);
}

// With mutex_ held.
void Engine::show(std::shared_ptr<const Snapshot> next, bool changed) {
  snapshot_ = std::move(next);
  read_at_ = std::chrono::steady_clock::now();
  last_error_.clear();
  last_success_ = true;
  if (!changed) return;
  audits_.clear();
  ++audits_epoch_;
}

// The audit is made before anybody can see the snapshot, and stamped where no older one can be
// stamped after it.
std::vector<VerdictChange> Engine::publish_with_audit(const std::shared_ptr<const Snapshot>& next) {
  std::int64_t epoch = 0;
  std::string name;
  ProfileStore store;
  Waivers waivers;
  {
    const std::lock_guard lock(mutex_);
    epoch = audits_epoch_;
    name = config_.profile;
    store = profiles_;
    waivers = holding_;
  }
  const auto profile = store.load(name);
  std::optional<Audit> audit;
  if (profile) audit = run_audit(next->inventory, *profile, {}, *waivers);
  const std::lock_guard stamping(stamping_);
  std::vector<VerdictChange> findings;
  std::shared_ptr<const AuditAnswer> answer;
  if (audit) {
    findings = verdicts_.stamp(*audit, next->inventory.collected_at);
    answer = sealed(*std::move(audit), *next);
  }
  const std::lock_guard lock(mutex_);
  const bool current = epoch == audits_epoch_;  // no reload() came between
  show(next, true);
  if (answer && current) {
    audits_[name] = answer;
    default_audit_ = answer;
  }
  return findings;
}

void Engine::tell_change(const Snapshot& before, const Snapshot& now) {
  auto found = diff(before.inventory, now.inventory).differences;
  InventoryChange change{now.inventory.generation, now.inventory.collected_at, {}, 0};
  if (found.size() > InventoryChange::kMost) {
    change.more = static_cast<std::int64_t>(found.size() - InventoryChange::kMost);
    found.resize(InventoryChange::kMost);
  }
  change.differences = std::move(found);
  events_.add("inventory", to_json(change));
}

Result<std::shared_ptr<const DiffAnswer>> Engine::make_diff(const Snapshot& now,
                                                            Baseline baseline) const {
  const auto set_up = config();
  Document from;
  if (baseline == Baseline::golden) {
    if (set_up.golden.empty())
      return Error{"the configuration names no golden inventory", {}, ENOENT};
    auto text = read_user_file(set_up.golden, kMostInventory);
    if (!text) return text.error();
    from = {set_up.golden, *std::move(text)};
  } else {
    const auto kept = history();
    if (!kept) return Error{"no state directory keeps inventories of earlier boots", {}, ENOENT};
    auto text = kept->before(set_up.root, now.inventory.boot_id);
    if (!text) return text.error();
    if (!*text) return Error{"no inventory of an earlier boot is kept yet", {}, ENOENT};
    from = {"the previous boot", **std::move(text)};
  }
  const auto found = diff_documents(from, {"this host", now.json});
  if (!found) return found.error();
  auto answer = std::make_shared<DiffAnswer>();
  answer->json = to_json(*found);
  answer->etag = weak_tag(now.inventory, now.digest, '-' + fnv_digest(answer->json));
  return std::shared_ptr<const DiffAnswer>(answer);
}

void Engine::compare(const Snapshot& now) {
  for (const auto& [baseline, name] : names(Baseline{})) {
    auto answer = make_diff(now, baseline);
    const std::lock_guard lock(mutex_);
    diffs_.insert_or_assign(baseline, std::move(answer));
  }
}

Result<std::shared_ptr<const DiffAnswer>> Engine::compared(Baseline baseline) const {
  const std::lock_guard lock(mutex_);
  const auto found = diffs_.find(baseline);
  if (found == diffs_.end()) return Error{"no inventory has been read yet", {}, EAGAIN};
  return found->second;
}

std::shared_ptr<History> Engine::history() const {
  const std::lock_guard lock(mutex_);
  return history_;
}

void Engine::use_history(std::shared_ptr<History> history,
                         std::function<void(const std::string&)> complain) {
  const std::lock_guard lock(mutex_);
  history_ = std::move(history);
  complain_ = std::move(complain);
}

void Engine::keep_now() {
  {
    const std::lock_guard lock(mutex_);
    kept_at_ = {};
  }
  if (const auto now = snapshot()) keep(now);
}

// An inventory that could be kept a minute ago is near enough for a machine that loses its power.
void Engine::keep(const std::shared_ptr<const Snapshot>& now) {
  const auto time = std::chrono::steady_clock::now();
  std::shared_ptr<History> history;
  std::string root;
  {
    const std::lock_guard lock(mutex_);
    const bool early = kept_at_.time_since_epoch().count() != 0 && time - kept_at_ < kKeepPause;
    if (!history_ || kept_digest_ == now->digest || early) return;
    history = history_;
    root = config_.root;
    kept_at_ = time;
  }
  const auto status = history->keep(root, now->inventory, now->json);
  std::function<void(const std::string&)> complain;
  const std::string error = status ? "" : status.error().message();
  {
    const std::lock_guard lock(mutex_);
    if (status) kept_digest_ = now->digest;
    if (keep_error_ != error && !status) complain = complain_;
    keep_error_ = error;
  }
  if (complain) complain("the inventory of this boot is not kept: " + error);
}

std::shared_ptr<const AuditAnswer> Engine::known_audit(const std::string& profile) const {
  const std::lock_guard lock(mutex_);
  const auto found = audits_.find(profile);
  return found == audits_.end() ? nullptr : found->second;
}

std::shared_ptr<const Snapshot> Engine::snapshot() const {
  const std::lock_guard lock(mutex_);
  return snapshot_;
}

Result<std::shared_ptr<const AuditAnswer>> Engine::audit(const std::string& name) const {
  std::shared_ptr<const Snapshot> from;
  ProfileStore store;
  Waivers waivers;
  std::int64_t epoch = 0;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = audits_.find(name); found != audits_.end()) return found->second;
    from = snapshot_;
    store = profiles_;
    waivers = holding_;
    epoch = audits_epoch_;
  }
  if (!from) return Error{"no inventory has been read yet", {}, EAGAIN};
  const auto profile = store.load(name);
  if (!profile) return profile.error();
  auto audit = run_audit(from->inventory, *profile, {}, *waivers);
  // An answer from what is outdated by now is right for its caller, but must not be kept.
  const bool current = stamp(audit, *from, epoch);
  auto answer = sealed(std::move(audit), *from);
  const std::lock_guard lock(mutex_);
  if (current && epoch == audits_epoch_) {
    audits_[name] = answer;
    if (name == config_.profile) default_audit_ = answer;
  }
  return answer;
}

Result<Audit> Engine::audit_once(const Profile& profile) const {
  const auto from = snapshot();
  if (!from) return Error{"no inventory has been read yet", {}, EAGAIN};
  return run_audit(from->inventory, profile, {}, *holding());
}

// False if newer audits may have been stamped already.
bool Engine::stamp(Audit& audit, const Snapshot& from, std::int64_t epoch) const {
  const std::lock_guard one_at_a_time(stamping_);
  bool is_default = false;
  {
    const std::lock_guard lock(mutex_);
    if (epoch != audits_epoch_) return false;
    is_default = audit.profile == config_.profile;
  }
  for (const auto& each : verdicts_.stamp(audit, from.inventory.collected_at)) {
    if (is_default) events_.add("finding", to_json(each));
  }
  return true;
}

void Engine::reload(const Config& config) {
  {
    const std::lock_guard lock(mutex_);
    config_.labels = config.labels;
    config_.node_overrides = config.node_overrides;
    config_.profile = config.profile;
    config_.profile_dirs = config.profile_dirs;
    config_.refresh_s = config.refresh_s;
    config_.refresh_is_set = config.refresh_is_set;
    config_.golden = config.golden;
    profiles_ = ProfileStore(config_.profile_dirs);
    audits_.clear();
    ++audits_epoch_;
  }
  configure_waivers(config.waivers);
  static_cast<void>(audit(config.profile));
}

std::shared_ptr<const AuditAnswer> Engine::default_audit() const {
  const std::lock_guard lock(mutex_);
  return default_audit_;
}

Config Engine::config() const {
  const std::lock_guard lock(mutex_);
  return config_;
}

ProfileStore Engine::profiles() const {
  const std::lock_guard lock(mutex_);
  return profiles_;
}

Freshness Engine::freshness() const {
  const std::lock_guard lock(mutex_);
  Freshness out{last_success_, last_error_, std::nullopt, false};
  if (!snapshot_) return out;
  const auto age = std::chrono::steady_clock::now() - read_at_;
  out.age = std::chrono::duration_cast<std::chrono::milliseconds>(age);
  out.stale = age > 3 * period_locked() + kSlack;
  return out;
}

}  // namespace lk
