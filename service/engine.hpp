// Engine: what the API and the command line both call. It owns the reader, keeps the last
// inventory as an immutable snapshot, and answers audits from it.
//
// Thread-safe: any thread may ask for the snapshot and for audits; refresh() runs one at a time
// and blocks its caller for as long as the reader takes, at most Reader::Limits::total.
#pragma once

#include <memory>
#include <mutex>

#include "probes/reader.hpp"
#include "service/config.hpp"
#include "tuners/audit.hpp"

namespace lk {

// One inventory with the text that is sent for it.
struct Snapshot {
  Inventory inventory;
  std::string digest;  // fnv_digest() of content_digest()
  std::string json;    // the whole inventory
  // W/"<boot id's first 8>-<generation>-<digest's first 8>": weak, because the times in the text
  // may be newer under the same tag. The digest keeps it apart from that of an earlier process.
  std::string etag;
};

struct AuditAnswer {
  Audit audit;
  std::string json;
  std::string etag;  // weak, of inventory and profile
};

class Engine {
 public:
  // `executable` is this program, run again as the reader.
  Engine(Config config, std::string executable, Reader::Limits limits = Reader::Limits{});

  // Reads the host again. The generation rises only if the content changed; otherwise the
  // snapshot keeps its generation, with the new times. After an Error the old snapshot stays.
  Status refresh();

  // Null before the first successful refresh().
  std::shared_ptr<const Snapshot> snapshot() const;

  // Cached per generation and profile. Errors: EAGAIN before the first snapshot; else what
  // ProfileStore::load() says.
  Result<std::shared_ptr<const AuditAnswer>> audit(const std::string& profile) const;

  // Takes labels, node overrides, the default profile and profile directories from `config` and
  // forgets cached audits. What it listens on, and the root, stay.
  void reload(const Config& config);

  Config config() const;           // a copy: reload() may run meanwhile
  ProfileStore profiles() const;   // likewise
  std::string last_error() const;  // why the last refresh failed, empty if it did not

 private:
  void publish(Inventory inventory);

  mutable std::mutex mutex_;  // guards what follows
  Config config_;
  ProfileStore profiles_;
  std::shared_ptr<const Snapshot> snapshot_;
  mutable std::map<std::string, std::shared_ptr<const AuditAnswer>> audits_;
  mutable std::int64_t audits_epoch_ = 0;  // rises when audits_ is emptied
  std::string last_error_;

  std::mutex refreshing_;  // held before mutex_, never after; guards reader_
  Reader reader_;
};

}  // namespace lk
