// The study: every candidate that a search has settled, kept in the output folder as an SQLite database
// (docs/run/study.md has the schema), so that an interrupted search goes on and a finished one can be read. It holds
// facts, no state of an algorithm: the search runs again and finds what it would have simulated.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "explore/study/records.h"
#include "explore/study/study_error.h"

namespace dse::explore {

class Study {
 public:
  /// Opens or makes `path` for writing. @throws StudyError for studies of older and newer formats (by name), other
  /// databases, files that are none, damaged ones; std::runtime_error when somebody else is writing it, or when the
  /// file or its folder cannot be written.
  Study(const std::string& path, const StudyInfo& info);
  /// Writes what is left; what cannot be written is lost.
  ~Study();

  /// The number of a subject in this file, which is added if it is new. Numbers say nothing across files.
  int subject(const Subject& subject);
  /// What is there to know of a device point, by its label; what was known before is replaced. `energy_source`: where
  /// its energies come from, as of hw::Device; empty: they are not known, and readers are not told them.
  void describe(const std::string& device, const std::string& hash, std::optional<double> area_mm2,
                const std::string& energy_source = {});
  /// All candidates, in the order of their assignments (bytes).
  std::vector<Candidate> candidates(int subject) const;
  /// Replaces the candidate of the same assignment. Rows go to the disk in transactions, see flush().
  void put(int subject, const Candidate& candidate);
  /// What a finished search of this subject under this question found.
  std::optional<std::string> result(int subject, const std::string& question) const;
  /// `question`: digest of what was asked (choices allowed, objectives, caps); `result`: text, usually JSON.
  void finish(int subject, const std::string& question, const std::string& result);
  /// Ends the transaction under way: what was put before survives a kill. put() and finish() do this themselves, at the
  /// latest half a second after the first row and then the next call, but not before 64 rows unless that time is over.
  void flush();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dse::explore
