// The tables of a study (format 5), and what any other file is. docs/run/study.md describes them column by column.
#pragma once
#include "explore/study/records.h"
#include "explore/study/sqlite.h"

namespace dse::explore {

inline constexpr int kStudyFormat = 5;  // PRAGMA user_version
static_assert(kCosts == 3, "another cost is another column: raise the format");
inline constexpr int kStudyApplication = 0x64736573;  // PRAGMA application_id: "dses"

/// Looks at an open database. @returns false if it is empty, that is to be made; true if it is a study of this format.
/// @throws StudyError for everything else.
bool is_study(sqlite::Database& db);

/// Makes the tables and views and says who made them, in one transaction.
void make_study(sqlite::Database& db, const StudyInfo& info);
/// Makes the table of device points, its column on energies and the view that reads it where there are none: they came
/// within this format, and programs that do not know them read and write all the rest.
void ensure_devices(sqlite::Database& db);
/// The table says where the energies of device points come from.
bool has_energy_sources(sqlite::Database& db);

/// The columns of a candidate, as they are selected and inserted: kCandidateColumns of them, the last its check sum.
std::string candidate_columns();
inline constexpr int kCandidateColumns = 7 + kCosts;
/// Reads them, from the first column on. @throws StudyError when they are not those that were written for this subject.
Candidate read_candidate(const sqlite::Statement& row, std::int64_t subject, const std::string& path);
/// Binds them, from parameter 1 on.
void bind_candidate(sqlite::Statement& insert, std::int64_t subject, const Candidate& candidate);

/// Check sum of what a finished search found.
std::int64_t sum_of_search(std::int64_t subject, std::string_view question, std::string_view result);
/// Check sum of what a subject is found by.
std::int64_t sum_of_subject(std::int64_t id, std::string_view kind, std::string_view key, std::int64_t model);
/// @throws StudyError when `is`, as it is stored in a row of `table`, is not `should`.
void check_sum(std::int64_t is, std::int64_t should, const char* table, const std::string& path);

/// Adds a session. @returns its number.
std::int64_t add_session(sqlite::Database& db, const StudyInfo& info);

/// Reads a column with a status. @throws StudyError as above.
CandidateStatus read_status(const sqlite::Statement& row, int column, const std::string& path);

/// The time now in UTC as "2026-01-31T12:34:56Z".
std::string utc_now();

}  // namespace dse::explore
