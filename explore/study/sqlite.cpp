#include "explore/study/sqlite.h"

#include "explore/study/study_error.h"

namespace dse::explore::sqlite {

void no_database(const std::string& path) {
  throw StudyError(
      {Severity::error, {path, 0, 0}, "is not a study: no SQLite database", "give another folder, or remove it"});
}

void damaged(const std::string& path, const std::string& how) {
  throw StudyError(
      {Severity::error,
       {path, 0, 0},
       "is damaged: " + how,
       "remove it, and what it holds is simulated again; `sqlite3 FILE .recover` may save rows for reading"});
}

void fail(sqlite3* db, const std::string& path) {
  const std::string why = sqlite3_errmsg(db);
  switch (sqlite3_errcode(db) & 0xff) {
    case SQLITE_NOTADB:
      no_database(path);
    case SQLITE_CORRUPT:
    case SQLITE_MISMATCH:
    case SQLITE_CONSTRAINT:
    case SQLITE_FORMAT:
    case SQLITE_TOOBIG:
    case SQLITE_ERROR:  // statements are ours: the tables are not as they were made
      damaged(path, why);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw std::runtime_error(path + ": another program has locked it: " + why);
    case SQLITE_IOERR:
      if (sqlite3_extended_errcode(db) == SQLITE_IOERR_SHORT_READ ||
          sqlite3_extended_errcode(db) == SQLITE_IOERR_CORRUPTFS)
        damaged(path, "it is cut short");
      [[fallthrough]];
    default:
      throw std::runtime_error(path + ": " + why);
  }
}

Database::Database(const std::string& path, int flags) : path_(path) {
  if (sqlite3_open_v2(path.c_str(), &db_, flags | SQLITE_OPEN_NOMUTEX, nullptr) != SQLITE_OK) {
    const std::string why = db_ ? sqlite3_errmsg(db_) : "out of memory";
    sqlite3_close(db_);
    throw std::runtime_error(path + ": " + why);
  }
  sqlite3_extended_result_codes(db_, 1);
  for (const int off : {SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_TRUSTED_SCHEMA})
    sqlite3_db_config(db_, off, 0, nullptr);
  sqlite3_db_config(db_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
}

void Database::exec(const std::string& sql) {
  if (sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail(db_, path_);
}

Statement::Statement(const Database& db, const char* sql) : db_(db) {
  if (sqlite3_prepare_v3(db.handle(), sql, -1, SQLITE_PREPARE_PERSISTENT, &s_, nullptr) != SQLITE_OK)
    fail(db.handle(), db.path());
}

Statement& Statement::bind(int i, std::int64_t v) {
  sqlite3_bind_int64(s_, i, v);
  return *this;
}

Statement& Statement::bind(int i, std::string_view v) {
  sqlite3_bind_text64(s_, i, v.data() ? v.data() : "", v.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind_null(int i) {
  sqlite3_bind_null(s_, i);
  return *this;
}

Statement& Statement::bind_real(int i, double v) {
  sqlite3_bind_double(s_, i, v);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(s_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  fail(db_.handle(), db_.path());
}

void Statement::run() {
  const Reset reset(*this);
  while (step()) {
  }
}

std::int64_t Statement::integer_or(int column, std::int64_t absent) const {
  return sqlite3_column_type(s_, column) == SQLITE_NULL ? absent : integer(column);
}

std::string Statement::text(int column) const {
  const auto* data = sqlite3_column_text(s_, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(s_, column));
  return data ? std::string(reinterpret_cast<const char*>(data), size) : std::string();
}

}  // namespace dse::explore::sqlite
