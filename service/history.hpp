// <state_dir>/runs.db: the last inventory of each boot (what the host was before the reboot, the
// new kernel or the new BIOS), and the waivers that were made over the API. An Error here never
// stops the rest. Every call does all of what it says, or nothing.
//
// Any thread may call; calls wait for each other, and for another process for two seconds at most.
#pragma once

#include <memory>
#include <mutex>

#include "probes/inventory.hpp"
#include "tuners/waiver.hpp"

struct sqlite3;

namespace lk {

class History {
 public:
  static constexpr int kBoots = 8;     // the newest of each source
  static constexpr int kChanges = 24;  // and those that a new kernel, BIOS or machine followed

  struct Boot {
    std::string boot_id;
    std::string collected_at;
    std::string kernel;
    std::string bios;
  };

  // Makes file and folder where they are missing, not the folders above.
  static Result<std::shared_ptr<History>> create(const std::string& state_dir);
  // For reading alone; an Error with ENOENT where there is none yet.
  static Result<std::shared_ptr<History>> existing(const std::string& state_dir);

  History(const History&) = delete;
  History& operator=(const History&) = delete;
  ~History();

  // Takes the place of what the same boot of the same source left. `source` is the root:
  // inventories of captured trees are kept apart from this host's.
  Status keep(const std::string& source, const Inventory& inventory, const std::string& json);

  Result<std::vector<Boot>> boots(const std::string& source) const;  // newest first

  // The inventory (JSON) of the newest boot other than `boot_id`; nullopt if there is none.
  Result<std::optional<std::string>> before(const std::string& source,
                                            const std::string& boot_id) const;

  // The waivers of `source`, in the order in which they were made; `expired` is not filled in.
  Result<std::vector<Waiver>> waivers(const std::string& source) const;
  Status add_waiver(const std::string& source, const Waiver& waiver);
  // An Error with ENOENT where there is none of that id.
  Status remove_waiver(const std::string& source, const std::string& id);

 private:
  History(sqlite3* database, std::string path);
  static Result<std::shared_ptr<History>> at(const std::string& path, int flags);
  Error failure(const char* what) const;
  Status forget_old(const std::string& source);
  Status run(const char* sql);

  mutable std::mutex mutex_;
  sqlite3* database_;
  std::string path_;
};

}  // namespace lk
