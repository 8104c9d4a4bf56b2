// One segment of layers called in turn: on demand, or phase by phase with everything inside computed anew.
#pragma once
#include <vector>

#include "plan/segment/planner/recorder.h"
#include "plan/segment/planner/schedule.h"
#include "plan/segment/planner/strips.h"
#include "plan/segment/planner/tensors.h"

namespace dse::plan::shared {

/// A segment of a graph. `layers`: the graph's layers that it has, ascending; the last one drives.
struct Group {
  const phases::LayerGraph& g;
  const Tensors& t;
  RowSegment segment;
  int number = 0;  // of the segment
  std::vector<int> layers;
  std::vector<int> place;  // per layer of the graph: its place in `layers`, -1 = not in the segment
  bool streamed = false;   // inputs of the network come in when they are asked for
  Strips strips{};         // of a segment that has several

  const phases::Edge& edge(int e) const { return g.edges[static_cast<std::size_t>(e)]; }
  const phases::Layer& layer(int l) const { return g.layers[static_cast<std::size_t>(l)]; }
  int place_of(int l) const { return place[static_cast<std::size_t>(l)]; }
  /// Rows of the driver per phase.
  std::int64_t rows() const;
  /// Rows of edge e's maker that must be there before its reader's rows up to `end`.
  std::int64_t needed(int e, std::int64_t end) const;
  /// Rows of edge e that its reader does not read for its rows from `begin` on.
  std::int64_t passed(int e, std::int64_t begin) const;
};

/// Halo::cached. False: the recorder ended it.
bool run_on_demand(const Group& s, Recorder& recorder);
/// Halo::recomputed. Tensors that somebody outside the segment reads are made once, row after row; of all others each
/// phase makes what it needs, in one call per layer, in the order of the layers.
bool run_anew(const Group& s, Recorder& recorder);

}  // namespace dse::plan::shared
