// The tables of a study (format 4), and what any other file is. docs/run/study.md describes them column by column.
#pragma once
#include "explore/study/records.h"
#include "explore/study/sqlite.h"

namespace dse::explore {

inline constexpr int kStudyFormat = 4;                // PRAGMA user_version
inline constexpr int kStudyApplication = 0x64736573;  // PRAGMA application_id: "dses"

/// Looks at an open database. @returns false if it is empty, that is to be made; true if it is a study of this format.
/// @throws StudyError for everything else.
bool is_study(sqlite::Database& db);

/// Makes the tables and views and says who made them, in one transaction.
void make_study(sqlite::Database& db, const StudyInfo& info);

/// Adds a session. @returns its number.
std::int64_t add_session(sqlite::Database& db, const StudyInfo& info);

/// What read_candidate() reads, in this order.
inline constexpr const char* kCandidateColumns =
    "assignment, status, ticks, bound, memory, energy_fj, traffic, reason, plan";
/// The candidate in the first columns of a row. @throws StudyError when it has a status that there is not.
Candidate read_candidate(const sqlite::Statement& row, const std::string& path);
/// Same of a column with a status.
CandidateStatus read_status(const sqlite::Statement& row, int column, const std::string& path);

/// The time now in UTC as "2026-01-31T12:34:56Z".
std::string utc_now();

}  // namespace dse::explore
