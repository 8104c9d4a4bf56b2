// Columns in strips: which columns each layer of a segment makes in which strip.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "plan/network/layer_graph.h"

namespace dse::plan::shared {

struct Columns {
  std::int64_t begin = 0, end = 0;
  std::int64_t count() const { return end - begin; }
  bool operator==(const Columns&) const = default;
};

struct Strips {
  std::vector<std::vector<Columns>> columns;  // by strip and layer of the segment
  std::vector<std::int64_t> widest;           // by layer of the segment: columns of its widest strip
};

/// The columns of a segment's layers (`layers`: of the graph, ascending; the last one drives) in `count` strips. The
/// driver's are shared out evenly; every other layer makes what its readers' strips read, and what nobody
/// reads with the strip after it. @returns what stands against it, in words: a layer inside that somebody outside
/// reads, one that makes whole rows only, rows of a source that come in once (`streamed`), fewer columns than strips.
std::variant<Strips, std::string> strips_of(const phases::LayerGraph& graph, std::span<const int> layers,
                                            std::int64_t count, bool streamed);

}  // namespace dse::plan::shared
