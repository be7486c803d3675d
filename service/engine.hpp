// Engine: what the API and the command line both call. It owns the reader, keeps the last
// inventory as an immutable snapshot, and answers audits from it.
//
// Thread-safe: any thread may ask for the snapshot; refresh() runs one at a time.
#pragma once

#include <memory>
#include <mutex>

#include "probes/reader.hpp"
#include "service/config.hpp"
#include "tuners/audit.hpp"

namespace lk {

// One inventory with the texts that are sent for it, built once per generation.
struct Snapshot {
  Inventory inventory;
  std::string digest;  // content_digest()
  std::string json;    // the whole inventory
  std::string etag;    // "\"inv-<boot id's first 8>-<generation>\"", strong
};

struct AuditAnswer {
  Audit audit;
  std::string json;
  std::string etag;
};

class Engine {
 public:
  // `executable` is this program, run again as the reader.
  Engine(Config config, std::string executable);

  // Reads the host again. The generation rises only if the content changed; otherwise the
  // snapshot keeps its generation, with the new times.
  Status refresh();

  // Null before the first successful refresh().
  std::shared_ptr<const Snapshot> snapshot() const;

  // Error if the profile is unknown or there is no snapshot yet; cached per generation.
  Result<std::shared_ptr<const AuditAnswer>> audit(const std::string& profile) const;

  const Config& config() const { return config_; }
  const ProfileStore& profiles() const { return profiles_; }
  // Why the last refresh failed, empty if it did not.
  std::string last_error() const;

 private:
  Config config_;
  ProfileStore profiles_;
  Reader reader_;
  mutable std::mutex mutex_;  // guards what follows
  std::shared_ptr<const Snapshot> snapshot_;
  mutable std::map<std::string, std::shared_ptr<const AuditAnswer>> audits_;
  std::string last_error_;
  std::mutex refreshing_;
};

}  // namespace lk
