// What changed between two whole fronts: the points that people name, pairwise, and how far one lies before the other.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/diff/point_diff.h"

namespace dse::reports {

struct FrontDiff {
  /// A mark (smallest, knee, fastest) or an origin (rule-based, TFLM today, user), where one side has it at least.
  struct Named {
    std::string name;
    std::optional<explore::Point> a, b;
  };
  /// How B's stairs lie against A's where both have any, from the first value that both reach to the last step.
  struct Along {
    std::int64_t from = 0, to = 0;  // of what is held equal: bytes, or units of time
    double mean = 0;                // area under B over area under A, minus 1: negative is better
    double least = 0, most = 0;     // the same at single values
    std::int64_t least_at = 0, most_at = 0;
  };
  explore::Front a, b;
  TimeUnit time;
  std::vector<Named> named;
  std::vector<explore::Point> only_a, only_b;  // of the front proper
  std::size_t in_both = 0;
  std::optional<Along> latency_at_equal_memory, memory_at_equal_latency;  // none: one front is empty
  bool equal() const;
};

/// Two recorded fronts. Points are the same if their ids are; where network or device differ, no ids can be, and
/// equal memory and time decide.
FrontDiff diff_fronts(const explore::Front& a, const explore::Front& b);

/// Which fronts of two runs belong together: those of the same network and device label; then, among the rest, the only
/// ones of a network, of a device, or at all.
struct FrontPairs {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;  // indices into `fronts`
  std::vector<std::size_t> only_a, only_b;
};
FrontPairs pair_fronts(const std::vector<RecordedFront>& fronts_a, const std::vector<RecordedFront>& fronts_b);

/// What else differs between two runs: version, command line, and each input file's hash.
std::vector<WordPair> diff_provenance(const explore::Provenance& a, const explore::Provenance& b);

}  // namespace dse::reports
