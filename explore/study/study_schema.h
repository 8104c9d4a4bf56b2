// The tables of a study (format 4), and what any other file is. docs/run/study.md describes them column by column.
#pragma once
#include "explore/study/records.h"
#include "explore/study/sqlite.h"

namespace dse::explore {

inline constexpr int kStudyFormat = 4;  // PRAGMA user_version
static_assert(kCosts == 3, "another cost is another column: raise the format");
inline constexpr int kStudyApplication = 0x64736573;  // PRAGMA application_id: "dses"

/// Looks at an open database. @returns false if it is empty, that is to be made; true if it is a study of this format.
/// @throws StudyError for everything else.
bool is_study(sqlite::Database& db);

/// Makes the tables and views and says who made them, in one transaction.
void make_study(sqlite::Database& db, const StudyInfo& info);
/// Makes the table of device points where there is none: it came within this format, and programs that do not know it
/// read and write all the rest.
void ensure_devices(sqlite::Database& db);

/// The columns of a candidate, as they are selected and inserted: kCandidateColumns of them.
std::string candidate_columns();
inline constexpr int kCandidateColumns = 6 + kCosts;
/// Reads them, from the first column on. @throws StudyError when it has a status that there is not.
Candidate read_candidate(const sqlite::Statement& row, const std::string& path);
/// Binds them, from parameter 1 on.
void bind_candidate(sqlite::Statement& insert, const Candidate& candidate);

/// Adds a session. @returns its number.
std::int64_t add_session(sqlite::Database& db, const StudyInfo& info);

/// Reads a column with a status. @throws StudyError as above.
CandidateStatus read_status(const sqlite::Statement& row, int column, const std::string& path);

/// The time now in UTC as "2026-01-31T12:34:56Z".
std::string utc_now();

}  // namespace dse::explore
