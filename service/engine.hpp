// Engine: what the API and the command line both call. It owns the reader, keeps the last
// inventory as an immutable snapshot, and answers audits from it.
//
// Thread-safe: any thread may ask for the snapshot and for audits; refresh() runs one at a time
// and blocks its caller for as long as the reader takes, at most Reader::Limits::total.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>

#include "probes/reader.hpp"
#include "service/config.hpp"
#include "service/diff.hpp"
#include "service/event_log.hpp"
#include "service/history.hpp"
#include "service/verdict_log.hpp"
#include "tuners/audit.hpp"

namespace lk {

// True if there is anything in it that only a readable host can have told.
bool says_anything(const Inventory& inventory);

// One inventory with the text that is sent for it.
struct Snapshot {
  Inventory inventory;
  std::string digest;  // fnv_digest() of content_digest()
  std::string json;    // the whole inventory
  // W/"<boot id's first 8>-<generation>-<digest's first 8>": weak, because the times in the text
  // may be newer under the same tag. The digest keeps it apart from that of an earlier process.
  std::string etag;
};

// How the last refreshes went.
struct Freshness {
  std::optional<bool> success;  // of the last refresh; absent before the first has ended
  std::string error;            // why it failed; empty if it did not
  // Since the newest inventory was read; absent if there is none. A host's sleep does not count.
  std::optional<std::chrono::milliseconds> age;
  bool stale = false;  // that is longer ago than several periods should take
};

struct AuditAnswer {
  Audit audit;
  std::string json;
  std::string etag;  // weak, of inventory and profile
};

// What a host can be compared with.
enum class Baseline { previous_boot, golden };
constexpr auto names(Baseline) {
  using B = Baseline;
  return EnumNames<B, 2>{{{B::previous_boot, "previous_boot"}, {B::golden, "golden"}}};
}

struct DiffAnswer {
  std::string json;  // an InventoryDiff
  std::string etag;
};

// What an `inventory` event carries.
struct InventoryChange {
  static constexpr std::size_t kMost = 64;

  std::int64_t generation = 0;
  std::string collected_at;
  std::vector<Difference> differences;  // the first kMost
  std::int64_t more = 0;

  static constexpr std::string_view kSchema = "InventoryChange";
  template <class Self = InventoryChange>
  static constexpr auto fields() {
    return std::tuple{
        field("generation", &Self::generation, "the new one"),
        field("collected_at", &Self::collected_at, "when the host was read"),
        field("differences", &Self::differences,
              "against the generation before; empty where only what diffs leave out changed"),
        field("more", &Self::more, "how many more differences there are"),
    };
  }
};

// What a `waiver` event carries.
enum class WaiverTurn { added, removed, expired };
constexpr auto names(WaiverTurn) {
  using W = WaiverTurn;
  return EnumNames<W, 3>{{{W::added, "added"}, {W::removed, "removed"}, {W::expired, "expired"}}};
}

struct WaiverChange {
  WaiverTurn change = WaiverTurn::added;
  Waiver waiver;

  static constexpr std::string_view kSchema = "WaiverChange";
  template <class Self = WaiverChange>
  static constexpr auto fields() {
    return std::tuple{field("change", &Self::change, "what happened to it"),
                      field("waiver", &Self::waiver, "as it is now, or was")};
  }
};

struct Refresh {
  // The audit against the default profile is published with it, so that nobody on the event loop
  // ever has to compute it.
  bool with_audit = false;
  bool ask_drives = false;  // also read what takes an admin command to the drive (temperatures)
  // The snapshot's digest, JSON and tag; what shows one inventory once needs none of them.
  bool texts = true;
};

class Engine {
 public:
  static constexpr std::size_t kMostWaivers = 1024;  // that the API keeps

  // `executable` is this program, run again as the reader.
  Engine(Config config, std::string executable, Reader::Limits limits = Reader::Limits{});

  // Reads the host again. The generation rises only if the content changed; otherwise the
  // snapshot keeps its generation, with the new times. After an Error the old snapshot stays; an
  // inventory that says nothing, after one that did, is an Error too.
  Status refresh(Refresh how = {});

  // How often the host is to be read: refresh_s where a file sets it; else that or 1/kRest of the
  // time, whichever is longer.
  std::chrono::milliseconds period() const;
  static constexpr int kRest = 250;

  // Null before the first successful refresh().
  std::shared_ptr<const Snapshot> snapshot() const;

  // What audit() has at hand; null if it would have to compute, which nobody may wait for on the
  // event loop.
  std::shared_ptr<const AuditAnswer> known_audit(const std::string& profile) const;
  // The newest against the default profile, at hand; null before there is one.
  std::shared_ptr<const AuditAnswer> default_audit() const;
  // Cached per generation and profile. Errors: EAGAIN before the first snapshot; else what
  // ProfileStore::load() says.
  Result<std::shared_ptr<const AuditAnswer>> audit(const std::string& profile) const;

  // The newest inventory against a baseline; made by refresh(), so that asking costs nothing.
  // Errors: EAGAIN before the first snapshot, ENOENT where there is nothing to compare with.
  Result<std::shared_ptr<const DiffAnswer>> compared(Baseline baseline) const;

  // The newest inventory against a profile from elsewhere; not kept. EAGAIN before the first
  // snapshot.
  Result<Audit> audit_once(const Profile& profile) const;

  // All waivers, of the configuration first; those that have expired too.
  using Waivers = std::shared_ptr<const std::vector<Waiver>>;
  Waivers waivers() const;
  // Those that hold now.
  Waivers holding() const;
  // Takes up those that the API made earlier, for this root.
  Status load_waivers(const History& from);
  // Gives it its id and keeps it. Errors: what History says; ENOENT without a state directory,
  // EDQUOT if there are kMostWaivers.
  Result<Waiver> add_waiver(Waiver waiver);
  // Errors: what History says; ENOENT if there is none of that id, EPERM if it is the
  // configuration's.
  Status remove_waiver(const std::string& id);
  // Has those end whose time has come: audits are made anew, and an event tells. Gives the time at
  // which the next one ends, if any does.
  std::optional<std::int64_t> end_waivers(std::int64_t now);
  // Called after each change of the waivers, so that whoever waits for the next end waits anew.
  void on_waivers(std::function<void()> changed);

  // What changed, as it is noticed: `inventory` for each generation, `finding` for verdicts of the
  // default profile, `waiver`.
  EventLog& events() { return events_; }

  // From now on refresh() keeps the last inventory of this boot there. A failed write is told to
  // `complain` once for each new reason.
  void use_history(std::shared_ptr<History> history,
                   std::function<void(const std::string&)> complain);
  // Writes what is not kept yet, if anything is: at the end of the program.
  void keep_now();

  // Takes labels, node overrides, waivers, the default profile and profile directories from
  // `config` and forgets cached audits. What it listens on, and the root, stay.
  void reload(const Config& config);

  Config config() const;          // a copy: reload() may run meanwhile
  ProfileStore profiles() const;  // likewise
  Freshness freshness() const;

 private:
  std::chrono::milliseconds period_locked() const;
  void publish(Inventory inventory, const Refresh& how);
  Status failed(Error error);
  std::vector<VerdictChange> publish_with_audit(const std::shared_ptr<const Snapshot>& next);
  void show(std::shared_ptr<const Snapshot> next, bool changed);
  void tell_change(const Snapshot& before, const Snapshot& now);
  void compare(const Snapshot& now);
  Result<std::shared_ptr<const DiffAnswer>> make_diff(const Snapshot& now, Baseline baseline) const;
  void keep(const std::shared_ptr<const Snapshot>& now);
  bool stamp(Audit& audit, const Snapshot& from, std::int64_t epoch) const;
  void tell_waivers_changed() const;
  std::shared_ptr<History> history() const;
  void configure_waivers(const std::vector<Waiver>& configured);
  void take_waivers(std::vector<Waiver> all, std::int64_t now, bool tell);

  mutable std::mutex mutex_;  // guards what follows
  Config config_;
  ProfileStore profiles_;
  std::shared_ptr<const Snapshot> snapshot_;
  mutable std::map<std::string, std::shared_ptr<const AuditAnswer>> audits_;
  mutable std::int64_t audits_epoch_ = 0;  // rises when audits_ is emptied
  std::string last_error_;
  std::chrono::milliseconds taken_{0};  // by the last good refresh
  std::optional<bool> last_success_;
  std::chrono::steady_clock::time_point read_at_;             // of snapshot_
  mutable std::shared_ptr<const AuditAnswer> default_audit_;  // the newest; outlives audits_
  std::map<Baseline, Result<std::shared_ptr<const DiffAnswer>>> diffs_;
  std::shared_ptr<History> history_;
  std::function<void(const std::string&)> complain_;
  std::string kept_digest_;  // of the inventory that history_ has
  std::string keep_error_;
  std::chrono::steady_clock::time_point kept_at_;
  Waivers waivers_;  // never null
  Waivers holding_;  // likewise
  std::function<void()> waivers_changed_;

  std::mutex waiving_;  // held before mutex_, never after: waivers change one after another
  mutable std::mutex stamping_;  // held before mutex_, never after; guards verdicts_
  mutable VerdictLog verdicts_;
  mutable EventLog events_;  // guards itself

  std::mutex refreshing_;  // held before mutex_, never after; guards reader_
  Reader reader_;
};

}  // namespace lk
