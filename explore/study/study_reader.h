// Reading a study without writing it: for `dse study`, reports and comparisons. Works while a run is writing.
#pragma once
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "explore/study/records.h"

namespace dse::explore {

/// One row of the table `subjects` with what is known about it.
struct StudySubject {
  int id = 0;
  Subject subject;
  int model = 0;                                             // timing model of its candidates
  std::array<std::int64_t, kCandidateStatuses> counts = {};  // candidates, by CandidateStatus
  std::int64_t searches = 0;                                 // finished ones
  std::int64_t count() const;
};

/// One row of the table `sessions`: a program that wrote.
struct StudySession {
  int id = 0;
  StudyInfo info;
  std::string started, ended;  // UTC; `ended` is empty while it runs and when it was killed
};

struct StudyRow {
  Candidate candidate;
  int session = 0;
};

class StudyReader {
 public:
  /// `path`: a study, or a folder with a study.sqlite. @throws StudyError when there is none, or one that Study
  /// refuses.
  explicit StudyReader(const std::string& path);
  ~StudyReader();

  const std::string& path() const;
  /// The table `study`: format, created, version, ...
  std::map<std::string, std::string> about() const;
  std::vector<StudySession> sessions() const;
  /// In the order in which they came.
  std::vector<StudySubject> subjects() const;
  /// The best `limit` candidates (0: all) of one status, or of all: simulated ones by ticks, then memory; then
  /// dominated ones by their bound, then the others; at last by assignment. No row tells an energy whose device does
  /// not say where it comes from.
  std::vector<StudyRow> best(int subject, std::optional<CandidateStatus> status, std::int64_t limit) const;
  /// All candidates of a subject, by assignment, in pieces: never holds many in memory, nor up a writer.
  void each(int subject, const std::function<void(const StudyRow&)>& row) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dse::explore
