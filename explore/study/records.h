// What a study holds: candidates, what they are candidates of, and who wrote them.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "explore/question/costs.h"
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
  Costs costs = every_cost(-1);  // simulated
  std::int64_t bound = -1;       // admissible lower bound on its ticks, cycles of the device's fastest clock
  std::int64_t memory = -1;      // on-chip bytes. layer: its own buffers; network: sum of the arenas, of dominated ones
                                 // what no layout is below
  std::string reason;            // infeasible, crashed, hung: why
  std::string plan;              // network candidates: plan id
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
  std::map<std::string, std::string> inputs;  // file -> SHA-256
};

}  // namespace dse::explore
