// SQLite's C interface with owners and exceptions; used by the study alone.
#pragma once
#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dse::explore::sqlite {

/// Throws what the last failure of `db` means for the study `path`: StudyError (not a database, damaged, or lacking a
/// table) or std::runtime_error (locked, read-only, disk full).
[[noreturn]] void fail(sqlite3* db, const std::string& path);
/// @throws StudyError that `path` is not an SQLite database.
[[noreturn]] void no_database(const std::string& path);
/// @throws StudyError that `path` is damaged, and how.
[[noreturn]] void damaged(const std::string& path, const std::string& how);

class Database {
 public:
  /// `flags`: SQLITE_OPEN_*. Nothing of a database's own runs: triggers, views and functions in its schema are off.
  Database(const std::string& path, int flags);
  ~Database() { sqlite3_close(db_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  void exec(const std::string& sql);
  /// How long to wait for a lock of somebody else.
  void patience(int milliseconds) { sqlite3_busy_timeout(db_, milliseconds); }
  sqlite3* handle() const { return db_; }
  const std::string& path() const { return path_; }
  /// Leaves it to the process that opened it: a forked child must not touch its files.
  void abandon() { db_ = nullptr; }

 private:
  std::string path_;
  sqlite3* db_ = nullptr;
};

/// A prepared statement. Columns count from 0, parameters from 1. Text that is bound must live until reset().
class Statement {
 public:
  Statement(const Database& db, const char* sql);
  ~Statement() { sqlite3_finalize(s_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  Statement& bind(int i, std::int64_t v);
  Statement& bind(int i, std::string_view v);
  Statement& bind_null(int i);
  Statement& bind_real(int i, double v);
  Statement& bind_or_null(int i, std::int64_t v) { return v == -1 ? bind_null(i) : bind(i, v); }
  Statement& bind_or_null(int i, std::string_view v) { return v.empty() ? bind_null(i) : bind(i, v); }
  /// Whether there is a row.
  bool step();
  void reset() { sqlite3_reset(s_); }
  /// For statements without rows: step and reset.
  void run();
  std::int64_t integer(int column) const { return sqlite3_column_int64(s_, column); }
  std::int64_t integer_or(int column, std::int64_t absent) const;
  std::string text(int column) const;
  sqlite3_stmt* handle() const { return s_; }

 private:
  const Database& db_;
  sqlite3_stmt* s_ = nullptr;
};

/// Resets a statement at the end of a scope, so that it never holds a lock longer than needed.
struct Reset {
  explicit Reset(Statement& s) : statement(s) {}
  ~Reset() { statement.reset(); }
  Reset(const Reset&) = delete;
  Reset& operator=(const Reset&) = delete;
  Statement& statement;
};

}  // namespace dse::explore::sqlite
