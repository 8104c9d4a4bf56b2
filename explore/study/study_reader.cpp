#include "explore/study/study_reader.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "explore/study/sqlite.h"
#include "explore/study/study_error.h"
#include "explore/study/study_schema.h"

namespace dse::explore {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kPiece = 1024;  // rows read at once

/// A query of whole rows of candidates, as row_of() reads them.
std::string rows_where(const std::string& rest) {
  return "SELECT " + candidate_columns() + ", session FROM candidates WHERE subject = ?1 AND " + rest;
}

std::string file_of(const std::string& path) {
  std::error_code none;
  const auto missing = [](const std::string& what, const char* why) {
    throw StudyError({Severity::error, {what, 0, 0}, why, "dse run ... -o FOLDER makes one"});
  };
  auto file = fs::is_directory(path, none) ? (fs::path(path) / "study.sqlite").string() : path;
  if (!fs::exists(file, none)) missing(path, file == path ? "there is no such file" : "holds no study.sqlite");
  if (!fs::is_regular_file(file, none)) missing(file, "is not a file");
  if (fs::file_size(file, none) == 0) missing(file, "is empty");
  return file;
}

/// The device of a subject says where its energies come from.
bool energy_known(sqlite::Database& db, int subject) {
  if (!has_energy_sources(db)) return false;
  sqlite::Statement query(db,
                          "SELECT 1 FROM subjects AS s JOIN devices AS d ON d.hash = s.device_hash "
                          "WHERE s.id = ?1 AND d.energy_source IS NOT NULL");
  return query.bind(1, subject).step();
}

StudyRow row_of(sqlite::Statement& s, int subject, bool energy, const std::string& path) {
  StudyRow row{read_candidate(s, subject, path), static_cast<int>(s.integer(kCandidateColumns))};
  if (!energy) row.candidate.costs[kEnergy] = -1;
  return row;
}

}  // namespace

std::int64_t StudySubject::count() const { return std::accumulate(counts.begin(), counts.end(), std::int64_t{0}); }

struct StudyReader::Impl {
  // Writable where the file is: a transaction that was killed half-way is undone by whoever reads next.
  explicit Impl(const std::string& path) : db(path, SQLITE_OPEN_READWRITE) {
    db.patience(10'000);
    if (!is_study(db)) sqlite::damaged(path, "it has no tables");
    db.exec("PRAGMA query_only=ON; PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY");
  }
  sqlite::Database db;
};

StudyReader::StudyReader(const std::string& path) : impl_(std::make_unique<Impl>(file_of(path))) {}
StudyReader::~StudyReader() = default;

const std::string& StudyReader::path() const { return impl_->db.path(); }

std::map<std::string, std::string> StudyReader::about() const {
  sqlite::Statement query(impl_->db, "SELECT key, value FROM study");
  std::map<std::string, std::string> out;
  while (query.step()) out[query.text(0)] = query.text(1);
  return out;
}

std::vector<StudySession> StudyReader::sessions() const {
  sqlite::Statement query(impl_->db,
                          "SELECT id, version, model, command_line, inputs, started, ended FROM sessions "
                          "ORDER BY id");
  std::vector<StudySession> out;
  while (query.step()) {
    StudySession s;
    s.id = static_cast<int>(query.integer(0));
    s.info.version = query.text(1), s.info.model = static_cast<int>(query.integer(2));
    s.info.command_line = query.text(3);
    const auto inputs = nlohmann::json::parse(query.text(4), nullptr, false);
    if (!inputs.is_object()) sqlite::damaged(path(), "the inputs of a session are no JSON object");
    for (const auto& [file, hash] : inputs.items()) {
      if (!hash.is_string()) sqlite::damaged(path(), "the hash of a session's input is no text");
      s.info.inputs[file] = hash.get<std::string>();
    }
    s.started = query.text(5), s.ended = query.text(6);
    out.push_back(std::move(s));
  }
  return out;
}

std::vector<StudySubject> StudyReader::subjects() const {
  std::vector<StudySubject> out;
  std::map<std::int64_t, std::size_t> index;
  {
    sqlite::Statement query(impl_->db,
                            "SELECT id, kind, key, device_hash, network, layer, device, tick_hz, model FROM subjects "
                            "ORDER BY id");
    while (query.step()) {
      StudySubject s;
      s.id = static_cast<int>(query.integer(0));
      s.subject = {query.text(1), query.text(2), query.text(3),   query.text(4),
                   query.text(5), query.text(6), query.integer(7)};
      s.model = static_cast<int>(query.integer(8));
      index[s.id] = out.size();
      out.push_back(std::move(s));
    }
  }
  sqlite::Statement counts(impl_->db, "SELECT subject, status, count(*) FROM candidates GROUP BY subject, status");
  while (counts.step()) {
    const auto at = index.find(counts.integer(0));
    const auto status = read_status(counts, 1, path());
    if (at != index.end()) out[at->second].counts[static_cast<std::size_t>(status)] = counts.integer(2);
  }
  sqlite::Statement searches(impl_->db, "SELECT subject, count(*) FROM searches GROUP BY subject");
  while (searches.step())
    if (const auto at = index.find(searches.integer(0)); at != index.end())
      out[at->second].searches = searches.integer(1);
  return out;
}

std::vector<StudyRow> StudyReader::best(int subject, std::optional<CandidateStatus> status, std::int64_t limit) const {
  sqlite::Statement query(impl_->db,
                          rows_where("(?2 IS NULL OR status = ?2) ORDER BY CASE status WHEN 'simulated' THEN 0 "
                                     "WHEN 'dominated' THEN 1 WHEN 'infeasible' THEN 2 WHEN 'outside' THEN 3 "
                                     "WHEN 'crashed' THEN 4 ELSE 5 END, coalesce(ticks, bound), memory, assignment "
                                     "LIMIT ?3")
                              .c_str());
  query.bind(1, subject).bind_or_null(2, status ? to_string(*status) : std::string_view{});
  query.bind(3, limit > 0 ? limit : -1);
  const bool energy = energy_known(impl_->db, subject);
  std::vector<StudyRow> out;
  while (query.step()) out.push_back(row_of(query, subject, energy, path()));
  return out;
}

void StudyReader::each(int subject, const std::function<void(const StudyRow&)>& row) const {
  sqlite::Statement first(impl_->db, rows_where("assignment >= ?2 ORDER BY assignment LIMIT ?3").c_str());
  sqlite::Statement next(impl_->db, rows_where("assignment > ?2 ORDER BY assignment LIMIT ?3").c_str());
  const bool energy = energy_known(impl_->db, subject);
  std::string last;
  for (auto* piece = &first;; piece = &next) {
    std::vector<StudyRow> rows;
    for (piece->bind(1, subject).bind(2, last).bind(3, kPiece); piece->step();)
      rows.push_back(row_of(*piece, subject, energy, path()));
    piece->reset();
    for (const auto& r : rows) {
      const bool ordered = (piece == &first && &r == &rows.front()) || r.candidate.assignment > last;
      if (!ordered) sqlite::damaged(path(), "candidates are out of order");  // would never end
      last = r.candidate.assignment;
      row(r);
    }
    if (static_cast<std::int64_t>(rows.size()) < kPiece) return;
  }
}

}  // namespace dse::explore
