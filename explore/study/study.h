// The study: every candidate that a search has settled, kept in the output folder as an SQLite database
// (docs/run/study.md has the schema), so that an interrupted search goes on and a finished one can be read. It holds
// facts, no state of an algorithm: the search runs again and finds what it would have simulated.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "sim/timing_model.h"

namespace dse::explore {

/// simulated: in SystemC. dominated: proven by its bound. infeasible: does not fit, with the reason. outside: beyond
/// the edges of the space (docs/run/search.md). crashed, hung: what its worker did. Stored as these words.
enum class CandidateStatus { simulated, dominated, infeasible, outside, crashed, hung };
inline constexpr int kCandidateStatuses = 6;
std::string_view to_string(CandidateStatus status);
std::optional<CandidateStatus> candidate_status(std::string_view word);

/// -1: not known, stored as NULL, as are empty `reason` and `plan`.
struct Candidate {
  std::string assignment;  // its choices as canonical text; within a subject it names the candidate
  CandidateStatus status = CandidateStatus::simulated;
  std::int64_t ticks = -1, bound = -1;  // simulated; admissible lower bound. Cycles of the device's fastest clock
  std::int64_t memory = -1;             // on-chip bytes. layer: its own buffers; network: sum of the arenas, of
                                        // dominated ones what no layout is below
  std::int64_t energy_fj = -1;          // femtojoules
  std::int64_t traffic = -1;            // bytes read from and written to memories off the chip
  std::string reason;                   // infeasible, crashed, hung: why
  std::string plan;                     // network candidates: plan id
  bool operator==(const Candidate&) const = default;
};

/// What candidates are candidates of.
struct Subject {
  std::string kind;           // "layer" or "network"
  std::string key;            // digest of all that its measurements depend on, but the timing model
  std::string device_hash;    // for readers, as is all that follows: of the first that asked
  std::string network, name;  // `name`: of the layer
  std::string device;         // label of the device point
  std::int64_t tick_hz = 0;   // ticks per second; 0: not known
};

/// Who writes.
struct StudyInfo {
  std::string version;            // of the program
  int model = sim::kTimingModel;  // other models' rows are kept but never found
  std::string command_line;
  std::uint64_t seed = 0;
  std::map<std::string, std::string> inputs;  // file -> SHA-256
};

/// A file that is not a study of this format, or is damaged: bad input. what() is in one line, with the hint.
struct StudyError : std::runtime_error {
  explicit StudyError(Diagnostic d);
  Diagnostic diagnostic;
};

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
