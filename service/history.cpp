#include "service/history.hpp"

#include <sqlite3.h>
#include <sys/stat.h>
#include <zlib.h>

#include <cerrno>

namespace lk {

namespace {

constexpr int kPatienceMs = 2000;
constexpr mode_t kDirMode = 0750;
constexpr std::size_t kMostJson = std::size_t{256} << 20U;

// user_version of the file; a newer one is left alone.
constexpr int kVersion = 2;
// Makes a new file, and brings one of version 1 (without waivers) up to date.
constexpr const char* kTables =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE IF NOT EXISTS inventories ("
    " source TEXT NOT NULL, boot_id TEXT NOT NULL, collected_at TEXT NOT NULL,"
    " kernel TEXT NOT NULL, bios TEXT NOT NULL, machine TEXT NOT NULL,"
    " size INTEGER NOT NULL, zlib BLOB NOT NULL, sequence INTEGER NOT NULL,"
    " PRIMARY KEY (source, boot_id));"
    "CREATE TABLE IF NOT EXISTS waivers ("
    " source TEXT NOT NULL, id TEXT NOT NULL, check_id TEXT NOT NULL, target TEXT, label TEXT,"
    " reason TEXT NOT NULL, owner TEXT NOT NULL, ticket TEXT, expires TEXT NOT NULL,"
    " origin TEXT NOT NULL, PRIMARY KEY (source, id));"
    "PRAGMA user_version = 2;"
    "COMMIT;";

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

Statement prepare(sqlite3* database, const char* sql) {
  sqlite3_stmt* raw = nullptr;
  sqlite3_prepare_v2(database, sql, -1, &raw, nullptr);
  return Statement(raw);
}

void bind(const Statement& statement, int at, const std::string& text) {
  sqlite3_bind_text64(statement.get(), at, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

std::string column(const Statement& statement, int at) {
  const auto* text = sqlite3_column_blob(statement.get(), at);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement.get(), at));
  return text == nullptr ? std::string() : std::string(static_cast<const char*>(text), size);
}

void bind(const Statement& statement, int at, const std::optional<std::string>& text) {
  if (text) bind(statement, at, *text);
}

std::optional<std::string> column_or_null(const Statement& statement, int at) {
  if (sqlite3_column_type(statement.get(), at) == SQLITE_NULL) return std::nullopt;
  return column(statement, at);
}

std::string deflated(const std::string& text) {
  auto size = compressBound(text.size());
  std::string out(size, '\0');
  const auto* from = reinterpret_cast<const Bytef*>(text.data());
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &size, from, text.size(), 6) != Z_OK) {
    return {};
  }
  out.resize(size);
  return out;
}

std::optional<std::string> inflated(const std::string& packed, std::int64_t size) {
  if (size < 0 || static_cast<std::size_t>(size) > kMostJson) return std::nullopt;
  std::string out(static_cast<std::size_t>(size), '\0');
  auto got = static_cast<uLongf>(size);
  const auto* from = reinterpret_cast<const Bytef*>(packed.data());
  if (uncompress(reinterpret_cast<Bytef*>(out.data()), &got, from, packed.size()) != Z_OK ||
      got != out.size()) {
    return std::nullopt;
  }
  return out;
}

std::string bios_of(const Host& host) {
  return host.bios_version.value_or("") + ' ' + host.bios_date.value_or("");
}

}  // namespace

History::History(sqlite3* database, std::string path)
    : database_(database), path_(std::move(path)) {}

History::~History() {
  sqlite3_close_v2(database_);
}

Error History::failure(const char* what) const {
  const int code = sqlite3_extended_errcode(database_);
  int err = 0;
  if ((code & 0xff) == SQLITE_FULL) err = ENOSPC;
  if ((code & 0xff) == SQLITE_READONLY) err = EROFS;
  if ((code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN) {
    err = sqlite3_system_errno(database_);
  }
  const std::string detail = err == 0 ? std::string(": ") + sqlite3_errmsg(database_) : "";
  return Error{what + detail, path_, err};
}

Result<std::shared_ptr<History>> History::at(const std::string& path, int flags) {
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &database, flags | SQLITE_OPEN_FULLMUTEX, nullptr);
  std::shared_ptr<History> history(new History(database, path));
  if (code != SQLITE_OK) return history->failure("cannot open");
  sqlite3_busy_timeout(database, kPatienceMs);
  const auto version = prepare(database, "PRAGMA user_version");
  if (!version || sqlite3_step(version.get()) != SQLITE_ROW) return history->failure("cannot read");
  if (sqlite3_column_int(version.get(), 0) > kVersion) {
    return Error{"a newer Lanekeeper wrote it; this one leaves it alone:", path, 0};
  }
  return history;
}

Result<std::shared_ptr<History>> History::create(const std::string& state_dir) {
  if (::mkdir(state_dir.c_str(), kDirMode) != 0 && errno != EEXIST) {
    return Error{"cannot make", state_dir, errno};
  }
  auto history = at(state_dir + "/runs.db", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (!history) return history;
  if (auto status = (*history)->run(kTables); !status) return status.error();
  return history;
}

Result<std::shared_ptr<History>> History::existing(const std::string& state_dir) {
  return at(state_dir + "/runs.db", SQLITE_OPEN_READONLY);
}

Status History::run(const char* sql) {
  if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return ok_status();
  auto error = failure("cannot write");
  if (sqlite3_get_autocommit(database_) == 0) {
    sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  return error;
}

Status History::keep(const std::string& source, const Inventory& inventory,
                     const std::string& json) {
  const std::lock_guard lock(mutex_);
  if (auto status = run("BEGIN IMMEDIATE"); !status) return status;
  const auto insert =
      prepare(database_,
              "INSERT OR REPLACE INTO inventories VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8,"
              " coalesce((SELECT sequence FROM inventories WHERE source = ?1 AND boot_id = ?2),"
              "          (SELECT coalesce(max(sequence), 0) + 1 FROM inventories)))");
  const auto packed = deflated(json);
  const auto& host = inventory.host;
  if (insert) {
    bind(insert, 1, source);
    bind(insert, 2, inventory.boot_id);
    bind(insert, 3, inventory.collected_at);
    bind(insert, 4, host.kernel.value_or(""));
    bind(insert, 5, bios_of(host));
    bind(insert, 6, host.vendor.value_or("") + ' ' + host.product.value_or(""));
    sqlite3_bind_int64(insert.get(), 7, static_cast<sqlite3_int64>(json.size()));
    sqlite3_bind_blob64(insert.get(), 8, packed.data(), packed.size(), SQLITE_STATIC);
  }
  if (!insert || sqlite3_step(insert.get()) != SQLITE_DONE) {
    auto error = failure("cannot write");
    sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
    return error;
  }
  if (auto status = forget_old(source); !status) {
    sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
    return status;
  }
  return run("COMMIT");
}

Status History::forget_old(const std::string& source) {
  const auto erase = prepare(
      database_,
      "WITH boots AS (SELECT boot_id, sequence,"
      "   row_number() OVER (ORDER BY sequence DESC) AS age,"
      "   coalesce(kernel <> lead(kernel) OVER w OR bios <> lead(bios) OVER w"
      "            OR machine <> lead(machine) OVER w, 0) AS changed"
      "  FROM inventories WHERE source = ?1 WINDOW w AS (ORDER BY sequence)),"
      " kept AS (SELECT boot_id FROM boots WHERE age <= ?2"
      "  UNION SELECT boot_id FROM (SELECT boot_id FROM boots WHERE changed"
      "                             ORDER BY sequence DESC LIMIT ?3))"
      "DELETE FROM inventories WHERE source = ?1 AND boot_id NOT IN (SELECT boot_id FROM kept)");
  if (!erase) return failure("cannot write");
  bind(erase, 1, source);
  sqlite3_bind_int(erase.get(), 2, kBoots);
  sqlite3_bind_int(erase.get(), 3, kChanges);
  if (sqlite3_step(erase.get()) != SQLITE_DONE) return failure("cannot write");
  return ok_status();
}

Result<std::vector<History::Boot>> History::boots(const std::string& source) const {
  const std::lock_guard lock(mutex_);
  const auto select = prepare(database_,
                              "SELECT boot_id, collected_at, kernel, bios FROM inventories"
                              " WHERE source = ?1 ORDER BY sequence DESC");
  if (!select) return failure("cannot read");
  bind(select, 1, source);
  std::vector<Boot> boots;
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(select.get())) == SQLITE_ROW) {
    boots.push_back({column(select, 0), column(select, 1), column(select, 2), column(select, 3)});
  }
  if (code != SQLITE_DONE) return failure("cannot read");
  return boots;
}

Result<std::optional<std::string>> History::before(const std::string& source,
                                                   const std::string& boot_id) const {
  const std::lock_guard lock(mutex_);
  const auto select = prepare(database_,
                              "SELECT size, zlib FROM inventories WHERE source = ?1"
                              " AND boot_id <> ?2 ORDER BY sequence DESC LIMIT 1");
  if (!select) return failure("cannot read");
  bind(select, 1, source);
  bind(select, 2, boot_id);
  const int code = sqlite3_step(select.get());
  if (code == SQLITE_DONE) return std::optional<std::string>();
  if (code != SQLITE_ROW) return failure("cannot read");
  auto json = inflated(column(select, 1), sqlite3_column_int64(select.get(), 0));
  if (!json) return Error{"holds a damaged inventory:", path_, 0};
  return json;
}

Result<std::vector<Waiver>> History::waivers(const std::string& source) const {
  const std::lock_guard lock(mutex_);
  std::vector<Waiver> out;
  const auto table = prepare(database_, "SELECT 1 FROM sqlite_schema WHERE name = 'waivers'");
  if (!table) return failure("cannot read");
  const int has_table = sqlite3_step(table.get());
  if (has_table == SQLITE_DONE) return out;  // a file of version 1, opened for reading
  if (has_table != SQLITE_ROW) return failure("cannot read");
  const auto select = prepare(database_,
                              "SELECT id, check_id, target, label, reason, owner, ticket, expires,"
                              " origin FROM waivers WHERE source = ?1 ORDER BY rowid");
  if (!select) return failure("cannot read");
  bind(select, 1, source);
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(select.get())) == SQLITE_ROW) {
    auto waiver = make_waiver({column(select, 1), column_or_null(select, 2),
                               column_or_null(select, 3), column(select, 4), column(select, 5),
                               column_or_null(select, 6), column(select, 7)});
    if (!waiver) {
      return Error{"holds a damaged waiver (" + waiver.error().what + "):", path_, 0};
    }
    waiver->id = column(select, 0);
    waiver->source = WaiverSource::api;
    waiver->origin = column(select, 8);
    out.push_back(*std::move(waiver));
  }
  if (code != SQLITE_DONE) return failure("cannot read");
  return out;
}

Status History::add_waiver(const std::string& source, const Waiver& waiver) {
  const std::lock_guard lock(mutex_);
  const auto insert =
      prepare(database_, "INSERT INTO waivers VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)");
  if (!insert) return failure("cannot write");
  bind(insert, 1, source);
  bind(insert, 2, waiver.id);
  bind(insert, 3, waiver.check);
  bind(insert, 4, waiver.target);
  bind(insert, 5, waiver.label);
  bind(insert, 6, waiver.reason);
  bind(insert, 7, waiver.owner);
  bind(insert, 8, waiver.ticket);
  bind(insert, 9, waiver.expires);
  bind(insert, 10, waiver.origin);
  if (sqlite3_step(insert.get()) != SQLITE_DONE) return failure("cannot write");
  return ok_status();
}

Status History::remove_waiver(const std::string& source, const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto erase = prepare(database_, "DELETE FROM waivers WHERE source = ?1 AND id = ?2");
  if (!erase) return failure("cannot write");
  bind(erase, 1, source);
  bind(erase, 2, id);
  if (sqlite3_step(erase.get()) != SQLITE_DONE) return failure("cannot write");
  if (sqlite3_changes(database_) == 0) return Error{"there is no waiver " + id, {}, ENOENT};
  return ok_status();
}

}  // namespace lk
