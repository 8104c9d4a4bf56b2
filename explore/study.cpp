#include "explore/study.h"

#include <sqlite3.h>

#include <stdexcept>
#include <utility>
#include <vector>

namespace dse::explore {
namespace {

constexpr int kFormat = 2;  // of the stored values; another one empties the table

[[noreturn]] void fail(sqlite3* db) {
  const char* file = sqlite3_db_filename(db, "main");
  const auto hint = sqlite3_errcode(db) == SQLITE_NOTADB || sqlite3_errcode(db) == SQLITE_CORRUPT
                        ? "; remove it, and what it remembers is simulated again"
                        : "";
  throw std::runtime_error(std::string(file && *file ? file : "study") + ": " + sqlite3_errmsg(db) + hint);
}

struct Statement {
  Statement(sqlite3* db, const char* sql) {
    if (sqlite3_prepare_v2(db, sql, -1, &s, nullptr) != SQLITE_OK) fail(db);
  }
  ~Statement() { sqlite3_finalize(s); }
  sqlite3_stmt* s = nullptr;
};

}  // namespace

struct Study::Impl {
  ~Impl() { sqlite3_close(db); }
  sqlite3* db = nullptr;
  std::vector<std::pair<std::string, std::string>> pending;

  void run(const char* sql) {
    if (sqlite3_exec(db, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail(db);
  }
};

Study::Study(const std::string& path) : impl_(std::make_unique<Impl>()) {
  if (sqlite3_open(path.c_str(), &impl_->db) != SQLITE_OK) {
    throw std::runtime_error(path + ": " + sqlite3_errmsg(impl_->db) + "; is its folder one that can be written to?");
  }
  sqlite3_busy_timeout(impl_->db, 2000);
  impl_->run("PRAGMA synchronous=NORMAL");
  int format = 0;
  {
    Statement version(impl_->db, "PRAGMA user_version");
    if (sqlite3_step(version.s) == SQLITE_ROW) format = sqlite3_column_int(version.s, 0);
  }
  if (format != kFormat) {
    impl_->run("DROP TABLE IF EXISTS layers");
    impl_->run(("PRAGMA user_version=" + std::to_string(kFormat)).c_str());
  }
  impl_->run("CREATE TABLE IF NOT EXISTS layers(key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID");
}

Study::~Study() {
  try {
    flush();
  } catch (const std::exception&) {  // a memo that cannot be written costs time later, nothing else
  }
}

std::optional<std::string> Study::find(const std::string& key) const {
  Statement query(impl_->db, "SELECT value FROM layers WHERE key=?");
  sqlite3_bind_blob(query.s, 1, key.data(), static_cast<int>(key.size()), SQLITE_STATIC);
  if (sqlite3_step(query.s) != SQLITE_ROW) return std::nullopt;
  const auto* data = static_cast<const char*>(sqlite3_column_blob(query.s, 0));
  return std::string(data ? data : "", static_cast<std::size_t>(sqlite3_column_bytes(query.s, 0)));
}

void Study::put(const std::string& key, const std::string& value) {
  impl_->pending.emplace_back(key, value);
  if (impl_->pending.size() >= 64) flush();
}

void Study::flush() {
  if (impl_->pending.empty()) return;
  impl_->run("BEGIN");
  {
    Statement insert(impl_->db, "INSERT OR REPLACE INTO layers VALUES(?,?)");
    for (const auto& [key, value] : impl_->pending) {
      sqlite3_bind_blob(insert.s, 1, key.data(), static_cast<int>(key.size()), SQLITE_STATIC);
      sqlite3_bind_blob(insert.s, 2, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
      if (sqlite3_step(insert.s) != SQLITE_DONE) fail(impl_->db);
      sqlite3_reset(insert.s);
    }
  }
  impl_->run("COMMIT");
  impl_->pending.clear();
}

}  // namespace dse::explore
