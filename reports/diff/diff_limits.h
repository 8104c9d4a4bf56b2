// Limits on what may get worse from A to B: `latency=2%,memory=0,energy=1%,memories.l1.peak=4KiB`.
#pragma once
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/units.h"
#include "reports/diff/point_diff.h"

namespace dse::reports {

struct Limit {
  enum class In { percent, base, cycles };
  std::string text;    // as given: "latency=2%"
  std::string metric;  // "latency"
  Ratio amount;        // percent; base unit of the metric (bytes, ns, fJ, plain); cycles
  In in = In::base;
};

/// Reads lists of limits, each `metric=amount` with commas between; every problem goes to `diags` at `option`. Amounts
/// are percentages of A, or absolute with the metric's unit; 0 needs none.
std::vector<Limit> parse_limits(const std::vector<std::string>& lists, const std::string& option, Diagnostics& diags);

/// Whether every limit is on something that this comparison has; what is not goes to `diags` at `option`.
bool limits_apply(const std::vector<Limit>& limits, const PointDiff& diff, const std::string& option,
                  Diagnostics& diags);

/// `latency=2%: 100 -> 103 cycles (+3 %)` for every limit by which B is worse than A by more than it allows; computed
/// in integers.
std::vector<std::string> exceeded(const std::vector<Limit>& limits, const PointDiff& diff);

}  // namespace dse::reports
