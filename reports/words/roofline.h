// The roofline of a point in figures, for the console and for results.json.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "explore/measure/results.h"
#include "reports/words/document.h"

namespace dse::reports {

/// In which order tables by layer have their rows: as the plan runs them, or those that take most cycles first.
enum class RowOrder { plan, cycles };

/// A layer, or a segment that runs by phases. What says nothing is not there: ratios of products where there are none,
/// shares of no cycles, what bounds a layer without calls and bytes.
struct RooflineRow {
  std::string layer;
  std::int64_t roof = 0;                         // cycles, the least that its arithmetic and its bytes take
  std::optional<double> reached, peak, at_roof;  // multiply-accumulates per cycle
  std::optional<double> of_peak, of_roof;        // at most 1
  std::string bound;                             // "compute", "elements", or a memory
};

/// Of row `i` of `p.rooflines`.
RooflineRow roofline_row(const explore::Front& front, const explore::Point& p, std::size_t i);

/// All of them and their sum, at whose roof every row is at its own.
Table roofline_table(const explore::Front& front, const explore::Point& p, RowOrder order);

}  // namespace dse::reports
