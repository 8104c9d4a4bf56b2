#include "explore/study/study_schema.h"

#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/crc32.h"
#include "explore/study/study_error.h"

namespace dse::explore {
namespace {

// Primary keys of integers and of text within an integer: the rows of a subject lie side by side, so that putting them
// touches few pages and reading them is one scan. NULL: not known. Statuses are checked by whoever reads: a CHECK would
// double the cost of a row.
constexpr const char* kSchema = R"sql(
CREATE TABLE study(
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE sessions(
  id INTEGER PRIMARY KEY,
  version TEXT NOT NULL,
  model INTEGER NOT NULL,
  command_line TEXT NOT NULL,
  inputs TEXT NOT NULL,
  started TEXT NOT NULL,
  ended TEXT
);
CREATE TABLE subjects(
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  model INTEGER NOT NULL,
  device_hash TEXT NOT NULL,
  network TEXT NOT NULL,
  layer TEXT NOT NULL,
  device TEXT NOT NULL,
  tick_hz INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  UNIQUE(kind, key, model)
);
CREATE TABLE candidates(
  subject INTEGER NOT NULL REFERENCES subjects(id),
  assignment TEXT NOT NULL,
  status TEXT NOT NULL,
  ticks INTEGER,
  bound INTEGER,
  memory INTEGER,{further_costs}
  reason TEXT,
  plan TEXT,
  sum INTEGER NOT NULL,
  session INTEGER NOT NULL REFERENCES sessions(id),
  PRIMARY KEY(subject, assignment)
) WITHOUT ROWID;
CREATE TABLE searches(
  subject INTEGER NOT NULL REFERENCES subjects(id),
  question TEXT NOT NULL,
  result TEXT NOT NULL,
  sum INTEGER NOT NULL,
  session INTEGER NOT NULL REFERENCES sessions(id),
  PRIMARY KEY(subject, question)
);
CREATE VIEW lost_candidates AS
  SELECT s.kind, s.network, s.layer, s.device, c.assignment, c.status, c.reason, s.model, c.subject, c.session
  FROM candidates AS c JOIN subjects AS s ON s.id = c.subject WHERE c.status IN ('crashed', 'hung');
CREATE VIEW subject_counts AS
  SELECT s.id AS subject, s.kind, s.network, s.layer, s.device, s.model, c.status, count(*) AS candidates
  FROM candidates AS c JOIN subjects AS s ON s.id = c.subject GROUP BY c.subject, c.status;
)sql";

// What device files say of device points; and the view that tells energies only of those that say where they come from.
constexpr const char* kDevices = R"sql(
CREATE TABLE IF NOT EXISTS devices(
  device TEXT PRIMARY KEY,
  hash TEXT NOT NULL,
  area_mm2 REAL,
  energy_source TEXT
) WITHOUT ROWID;
)sql";
constexpr const char* kSimulated = R"sql(
DROP VIEW IF EXISTS simulated_candidates;
CREATE VIEW simulated_candidates AS
  SELECT s.kind, s.network, s.layer, s.device, c.assignment, c.ticks,
         c.ticks * 1e6 / nullif(s.tick_hz, 0) AS latency_us, c.memory AS memory_bytes,
         CASE WHEN s.device_hash IN (SELECT hash FROM devices WHERE energy_source IS NOT NULL)
              THEN c.energy_fj * 1e-9 END AS energy_uj,
         c.traffic AS traffic_bytes, c.plan, s.model, c.subject, c.session
  FROM candidates AS c JOIN subjects AS s ON s.id = c.subject WHERE c.status = 'simulated';
)sql";

std::string schema() {
  std::string further;
  for (int c = kTicks + 1; c < kCosts; ++c) further += fmt::format("\n  {} INTEGER,", kCostKinds[c].column);
  return fmt::format(kSchema, fmt::arg("further_costs", further));
}

constexpr std::uintmax_t kHeaderBytes = 100;  // sqlite.org/fileformat.html, 1.3

std::int64_t number(sqlite::Database& db, const char* sql) {
  sqlite::Statement query(db, sql);
  const sqlite::Reset reset(query);
  return query.step() ? query.integer(0) : 0;
}

std::string inputs_json(const StudyInfo& info) {
  return nlohmann::json(info.inputs).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

[[noreturn]] void other_format(const std::string& path, std::int64_t format) {
  throw StudyError({Severity::error,
                    {path, 0, 0},
                    "is a study of format " + std::to_string(format) + "; this program reads and writes format " +
                        std::to_string(kStudyFormat),
                    "give another folder, or remove it"});
}

/// CRC-32 over values with their lengths, so that nothing passes from one to its neighbour.
class Sum {
 public:
  Sum& add(std::string_view text) {
    add(static_cast<std::int64_t>(text.size()));
    bytes_ += text;
    return *this;
  }
  Sum& add(std::int64_t v) {
    for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>(static_cast<std::uint64_t>(v) >> (8 * i));
    return *this;
  }
  std::int64_t value() const { return crc32(reinterpret_cast<const std::uint8_t*>(bytes_.data()), bytes_.size()); }

 private:
  std::string bytes_;
};

std::int64_t sum_of_candidate(std::int64_t subject, const Candidate& c) {
  Sum sum;
  sum.add(subject).add(c.assignment).add(to_string(c.status)).add(c.bound).add(c.memory).add(c.reason).add(c.plan);
  for (const auto cost : c.costs) sum.add(cost);
  return sum.value();
}

}  // namespace

bool is_study(sqlite::Database& db) {
  std::error_code none;  // SQLite takes some files of less than a header for empty databases
  const auto size = std::filesystem::file_size(db.path(), none);
  if (!none && size > 0 && size < kHeaderBytes) sqlite::no_database(db.path());
  const auto tables = number(db, "SELECT count(*) FROM sqlite_schema");
  const auto application = number(db, "PRAGMA application_id");
  const auto format = number(db, "PRAGMA user_version");
  if (application == kStudyApplication) {
    if (format != kStudyFormat) other_format(db.path(), format);
    if (tables == 0) sqlite::damaged(db.path(), "it has no tables");
    return true;
  }
  if (tables == 0 && application == 0 && format == 0) return false;
  // Formats 1 and 2 did not name their application; they had one table of layer fronts.
  if (application == 0 && (format == 1 || format == 2) &&
      number(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'layers'") == 1)
    other_format(db.path(), format);
  throw StudyError({Severity::error,
                    {db.path(), 0, 0},
                    "is an SQLite database, but not a study",
                    "give another folder, or remove it"});
}

void make_study(sqlite::Database& db, const StudyInfo& info) {
  db.exec("BEGIN IMMEDIATE");
  db.exec(schema());
  db.exec("PRAGMA application_id=" + std::to_string(kStudyApplication));
  db.exec("PRAGMA user_version=" + std::to_string(kStudyFormat));
  {
    sqlite::Statement add(db, "INSERT INTO study VALUES(?, ?)");
    const std::map<std::string, std::string> values = {
        {"format", std::to_string(kStudyFormat)}, {"version", info.version},     {"model", std::to_string(info.model)},
        {"command_line", info.command_line},      {"inputs", inputs_json(info)}, {"created", utc_now()}};
    for (const auto& [key, value] : values) add.bind(1, key).bind(2, value).run();
  }
  db.exec("COMMIT");
}

void ensure_devices(sqlite::Database& db) {
  if (has_energy_sources(db)) return;
  db.exec("BEGIN IMMEDIATE");
  db.exec(kDevices);
  if (!has_energy_sources(db)) db.exec("ALTER TABLE devices ADD COLUMN energy_source TEXT");
  db.exec(kSimulated);
  db.exec("COMMIT");
}

bool has_energy_sources(sqlite::Database& db) {
  return number(db, "SELECT count(*) FROM pragma_table_info('devices') WHERE name = 'energy_source'") > 0;
}

std::string candidate_columns() {
  std::string out = "assignment, status, bound, memory, reason, plan";
  for (const auto& kind : kCostKinds) out += std::string(", ") + kind.column;
  return out + ", sum";
}

Candidate read_candidate(const sqlite::Statement& row, std::int64_t subject, const std::string& path) {
  Candidate c{row.text(0), read_status(row, 1, path), {}, row.integer_or(2, -1), row.integer_or(3, -1), row.text(4),
              row.text(5)};
  for (int k = 0; k < kCosts; ++k) c.costs[k] = row.integer_or(6 + k, -1);
  check_sum(row.integer(6 + kCosts), sum_of_candidate(subject, c), "candidates", path);
  return c;
}

void bind_candidate(sqlite::Statement& insert, std::int64_t subject, const Candidate& c) {
  insert.bind(1, c.assignment).bind(2, to_string(c.status)).bind_or_null(3, c.bound).bind_or_null(4, c.memory);
  insert.bind_or_null(5, c.reason).bind_or_null(6, c.plan);
  for (int k = 0; k < kCosts; ++k) insert.bind_or_null(7 + k, c.costs[k]);
  insert.bind(7 + kCosts, sum_of_candidate(subject, c));
}

std::int64_t sum_of_search(std::int64_t subject, std::string_view question, std::string_view result) {
  return Sum().add(subject).add(question).add(result).value();
}

std::int64_t sum_of_subject(std::int64_t id, std::string_view kind, std::string_view key, std::int64_t model) {
  return Sum().add(id).add(kind).add(key).add(model).value();
}

void check_sum(std::int64_t is, std::int64_t should, const char* table, const std::string& path) {
  if (is != should) sqlite::damaged(path, std::string("a row of ") + table + " is not as it was written");
}

std::int64_t add_session(sqlite::Database& db, const StudyInfo& info) {
  sqlite::Statement add(db,
                        "INSERT INTO sessions(version, model, command_line, inputs, started) VALUES(?, ?, ?, ?, ?)");
  const auto inputs = inputs_json(info), now = utc_now();
  add.bind(1, info.version).bind(2, info.model).bind(3, info.command_line).bind(4, inputs).bind(5, now);
  add.run();
  return sqlite3_last_insert_rowid(db.handle());
}

CandidateStatus read_status(const sqlite::Statement& s, int column, const std::string& path) {
  const auto word = s.text(column);
  const auto status = candidate_status(word);
  if (!status) sqlite::damaged(path, "a candidate has the status '" + word + "'");
  return *status;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

}  // namespace dse::explore
