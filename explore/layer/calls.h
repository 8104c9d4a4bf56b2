// How many kernel calls the schedules of a layer may take that are looked at.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "explore/layer/entry.h"
#include "explore/question/goal.h"
#include "explore/space/space.h"

namespace dse::explore {

/// What has room for a schedule: not even the device; the device; the limits of the question as well.
enum class Fit { no, device, limits };

/// How a schedule with these buffers fits, beside the inputs and the output of its layer.
Fit fit_of(const LayerTask& task, const Goal& goal, const LayerEntry& entry);

/// Schedules of at most LayerTask::max_calls are looked at. Where none of them fits, or keeps the limits, while some of
/// more calls do: those of up to twice as many as the one of these that takes the fewest. What has many times as many
/// is neither likely to be better nor soon simulated.
class CallsLookedAt {
 public:
  explicit CallsLookedAt(std::int64_t usual) : usual_(usual) { fewest_.fill(kNone); }
  void add(std::int64_t calls, Fit fit) {
    for (int f = 1; f <= static_cast<int>(fit); ++f)
      fewest_[static_cast<std::size_t>(f)] = std::min(fewest_[static_cast<std::size_t>(f)], calls);
  }
  std::int64_t most() const {
    for (const auto fit : {Fit::limits, Fit::device}) {
      const auto fewest = fewest_[static_cast<std::size_t>(fit)];
      if (fewest != kNone) return fewest > usual_ ? 2 * fewest : usual_;
    }
    return usual_;
  }

 private:
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  std::int64_t usual_;
  std::array<std::int64_t, 3> fewest_;
};

}  // namespace dse::explore
