// Random layer graphs, and random segments of them.
#pragma once
#include <cstdint>
#include <random>
#include <vector>

#include "plan/network/layer_graph.h"
#include "plan/segment/planner/schedule.h"

namespace dse::plan::shared::test {

/// Up to `most` layers: windows that overlap, leave rows out or crop, joins of two or three tensors, layers that read
/// everything, tensors with several readers, one or two inputs, results that nobody reads, several outputs; half of the
/// graphs have columns.
phases::LayerGraph random_layers(std::mt19937& random, int most);

/// streamed: inputs come in once.
std::vector<RowSegment> random_segments(std::mt19937& random, const phases::LayerGraph& g, bool streamed);

}  // namespace dse::plan::shared::test
