// Into how many phases each layer is cut (the thesis' Algorithm 3), or as the user says.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/network/layer_graph.h"

namespace dse::plan::phases {

/// Per layer (sources too) the output rows that are made after each phase: ascending, the last one is Layer::rows.
struct Parts {
  std::vector<std::vector<std::int64_t>> ends;
  std::int64_t phases(int layer) const {
    return static_cast<std::int64_t>(ends[static_cast<std::size_t>(layer)].size());
  }
  /// Of all layers that are no sources.
  std::int64_t total(const LayerGraph& g) const;
};

/// Algorithm 3: one row of output per phase, except layers whose window covers their whole input, which have one phase.
/// Sources deliver row by row.
Parts minimum_parts(const LayerGraph& g);

/// Every layer in one phase: execution layer by layer.
Parts whole_layers(const LayerGraph& g);

/// How many phases one layer is to have.
struct PhaseCount {
  std::optional<std::int64_t> count;  // nothing: as minimum_parts()
};

/// Given counts, one per layer and source in order. Rows are shared out evenly, the first parts one row higher where
/// that does not come out even; a layer whose only consumer has as many phases as itself makes in each phase what the
/// consumer's phase still lacks (the thesis' Ex2). @param why set to what is wrong, when the result is nothing: the
/// number of counts, a count below 1 or above the layer's rows.
std::optional<Parts> parts_of(const LayerGraph& g, const std::vector<PhaseCount>& counts, std::string& why);

/// Rows of edge `e` that must be there before its consumer's output rows up to `end` (of `rows`) can be made, with the
/// corrected rates: clamp((end - 1) * stride + kernel - pad, 0, rows of the tensor), everything for the last one.
std::int64_t rows_needed(const Edge& e, std::int64_t end, std::int64_t rows);
/// Rows of edge `e` that are not read again after those output rows: clamp(end * stride - pad, 0, rows_needed).
std::int64_t rows_released(const Edge& e, std::int64_t end, std::int64_t rows);

}  // namespace dse::plan::phases
