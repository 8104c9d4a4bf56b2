#include "explore/study/study.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <unordered_map>

#include "base/log.h"
#include "explore/study/sqlite.h"
#include "explore/study/study_lock.h"
#include "explore/study/study_schema.h"

namespace dse::explore {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kLeastRows = 64;  // of a transaction, unless kLongest is over
constexpr milliseconds kLongest{500};
// A transaction costs flushes to the disk. It may take a tenth of the time, but never waits longer than kLongest.
constexpr int kShareOfTime = 10;
constexpr milliseconds kShortest{200};
constexpr std::size_t kMostPending = 16'384;  // rows in memory, some MB

/// The columns of a candidate, then its subject and the session.
std::string put_text() {
  std::string values = "?, ?";
  for (int i = 0; i < kCandidateColumns; ++i) values += ", ?";
  return "INSERT OR REPLACE INTO candidates(" + candidate_columns() + ", subject, session) VALUES(" + values + ")";
}

}  // namespace

struct Study::Impl {
  Impl(const std::string& path, const StudyInfo& info);
  ~Impl();
  void begin();
  /// Hands the rows that wait to SQLite, in the order of their keys: neighbours share pages, which halves the work.
  void write_pending();
  /// Ends the transaction if nobody reads at this moment. @returns whether it did.
  bool commit(int patience_ms);
  /// After a row: ends the transaction if it is time.
  void written();

  int owner = ::getpid();
  StudyLock lock;
  sqlite::Database db;
  bool fresh;
  struct Prepared;
  std::unique_ptr<Prepared> sql;
  int model;
  std::int64_t session = 0;
  std::unordered_map<std::string, int> subjects;   // "kind/key"
  std::vector<std::pair<int, Candidate>> pending;  // put since
  bool open = false;                               // a transaction is under way
  int rows = 0;                                    // since the last one ended
  Clock::time_point due, latest;                   // when they may and should be on the disk
  Clock::duration pause = kShortest;
};

struct Study::Impl::Prepared {
  explicit Prepared(const sqlite::Database& db)
      : begin(db, "BEGIN IMMEDIATE"),
        commit(db, "COMMIT"),
        put(db, put_text().c_str()),
        all(db, ("SELECT " + candidate_columns() + " FROM candidates WHERE subject = ?1 ORDER BY assignment").c_str()),
        find_subject(db, "SELECT id, sum FROM subjects WHERE kind = ?1 AND key = ?2 AND model = ?3"),
        add_subject(db,
                    "INSERT INTO subjects(kind, key, model, device_hash, network, layer, device, tick_hz, id, sum) "
                    "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"),
        next_subject(db, "SELECT coalesce(max(id), 0) + 1 FROM subjects"),
        describe(db, "INSERT OR REPLACE INTO devices(device, hash, area_mm2, energy_source) VALUES(?1, ?2, ?3, ?4)"),
        result(db, "SELECT result, sum FROM searches WHERE subject = ?1 AND question = ?2"),
        finish(db,
               "INSERT OR REPLACE INTO searches(subject, question, result, session, sum) VALUES(?1, ?2, ?3, ?4, ?5)"),
        end_session(db, "UPDATE sessions SET ended = ?1 WHERE id = ?2") {}
  sqlite::Statement begin, commit, put, all, find_subject, add_subject, next_subject, describe, result, finish,
      end_session;
};

Study::Impl::Impl(const std::string& path, const StudyInfo& info)
    : lock(path),
      db(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE),
      fresh((db.patience(10'000), !is_study(db))),
      model(info.model) {
  // A rollback journal: works on network file systems, which WAL does not, and needs no second file for reading once a
  // transaction is over. NORMAL flushes the journal before the database is touched.
  db.exec(
      "PRAGMA journal_mode=TRUNCATE; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-8000; PRAGMA cache_spill=OFF; "
      "PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY");
  if (fresh) {
    make_study(db, info);
  } else {  // better now than after hours of writing into it
    sqlite::Statement check(db, "PRAGMA quick_check(1)");
    const sqlite::Reset reset(check);
    if (!check.step() || check.text(0) != "ok") sqlite::damaged(path, check.text(0));
  }
  ensure_devices(db);
  sql = std::make_unique<Prepared>(db);
  session = add_session(db, info);
  log_debug(fmt::format("study {}: {}", path, fresh ? "a new one" : fmt::format("resumed, session {}", session)));
}

Study::Impl::~Impl() {
  if (::getpid() != owner) {
    sql.release();  // NOLINT(bugprone-unused-return-value): a fork has no business with the parent's files
    db.abandon();
    return;
  }
  try {
    write_pending();
    if (open) commit(10'000);
    const auto now = utc_now();
    sql->end_session.bind(1, now).bind(2, session).run();
    sql.reset();
    db.exec("PRAGMA journal_mode=DELETE");  // leaves one file
  } catch (const std::exception&) {         // what cannot be written costs time later, nothing else
  }
}

void Study::Impl::begin() {
  if (open) return;
  db.patience(10'000);
  sql->begin.run();
  open = true;
}

void Study::Impl::write_pending() {
  if (pending.empty()) return;
  begin();
  std::stable_sort(pending.begin(), pending.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second.assignment < b.second.assignment;
  });
  auto& put = sql->put;
  put.bind(kCandidateColumns + 2, session);
  for (const auto& [subject, c] : pending) {  // of equal ones the last
    bind_candidate(put, subject, c);
    put.bind(kCandidateColumns + 1, subject).run();
  }
  pending.clear();
}

bool Study::Impl::commit(int patience_ms) {
  const auto start = Clock::now();
  db.patience(patience_ms);
  const int code = sqlite3_step(sql->commit.handle());
  sql->commit.reset();
  if (code == SQLITE_DONE) {
    open = false;
    rows = 0;
    pause = std::clamp<Clock::duration>((Clock::now() - start) * kShareOfTime, kShortest, kLongest);
    return true;
  }
  if ((code & 0xff) == SQLITE_BUSY) return false;  // somebody reads; the transaction stays under way
  open = sqlite3_get_autocommit(db.handle()) == 0;
  sqlite::fail(db.handle(), db.path());
}

void Study::Impl::written() {
  const auto now = Clock::now();
  if (rows++ == 0) due = now + pause, latest = now + kLongest;
  if (pending.size() >= kMostPending) write_pending();
  if (now < due || (rows < kLeastRows && now < latest)) return;
  write_pending();
  begin();
  // A slow reader must not stop the writer: the rows wait in memory and it is tried again later.
  if (!commit(20)) due = latest = now + kLongest;
}

Study::Study(const std::string& path, const StudyInfo& info) : impl_(std::make_unique<Impl>(path, info)) {}
Study::~Study() = default;

int Study::subject(const Subject& s) {
  const auto [at, added] = impl_->subjects.try_emplace(s.kind + "/" + s.key, 0);
  if (!added) return at->second;
  auto& find = impl_->sql->find_subject;
  {
    const sqlite::Reset reset(find);
    if (find.bind(1, s.kind).bind(2, s.key).bind(3, impl_->model).step()) {
      check_sum(find.integer(1), sum_of_subject(find.integer(0), s.kind, s.key, impl_->model), "subjects",
                impl_->db.path());
      return at->second = static_cast<int>(find.integer(0));
    }
  }
  impl_->begin();
  auto& add = impl_->sql->add_subject;
  add.bind(1, s.kind).bind(2, s.key).bind(3, impl_->model).bind(4, s.device_hash).bind(5, s.network).bind(6, s.name);
  auto& next = impl_->sql->next_subject;
  std::int64_t id = 0;
  {
    const sqlite::Reset reset(next);
    if (next.step()) id = next.integer(0);
  }
  add.bind(7, s.device).bind(8, s.tick_hz).bind(9, id).bind(10, sum_of_subject(id, s.kind, s.key, impl_->model)).run();
  return at->second = static_cast<int>(id);
}

void Study::describe(const std::string& device, const std::string& hash, std::optional<double> area_mm2,
                     const std::string& energy_source) {
  impl_->begin();
  auto& describe = impl_->sql->describe;
  describe.bind(1, device).bind(2, hash).bind_or_null(4, energy_source);
  area_mm2 ? describe.bind_real(3, *area_mm2) : describe.bind_null(3);
  describe.run();
  impl_->written();
}

std::vector<Candidate> Study::candidates(int subject) const {
  impl_->write_pending();
  auto& all = impl_->sql->all;
  const sqlite::Reset reset(all);
  std::vector<Candidate> out;
  for (all.bind(1, subject); all.step();) out.push_back(read_candidate(all, subject, impl_->db.path()));
  return out;
}

void Study::put(int subject, const Candidate& c) {
  impl_->pending.emplace_back(subject, c);
  impl_->written();
}

std::optional<std::string> Study::result(int subject, const std::string& question) const {
  auto& result = impl_->sql->result;
  const sqlite::Reset reset(result);
  if (!result.bind(1, subject).bind(2, question).step()) return std::nullopt;
  auto text = result.text(0);
  check_sum(result.integer(1), sum_of_search(subject, question, text), "searches", impl_->db.path());
  return text;
}

void Study::finish(int subject, const std::string& question, const std::string& text) {
  impl_->begin();
  impl_->sql->finish.bind(1, subject)
      .bind(2, question)
      .bind(3, text)
      .bind(4, impl_->session)
      .bind(5, sum_of_search(subject, question, text))
      .run();
  impl_->written();
}

void Study::flush() {
  impl_->write_pending();
  if (impl_->open && !impl_->commit(10'000))
    throw std::runtime_error(impl_->db.path() + ": cannot be written while another program reads it for so long");
}

}  // namespace dse::explore
