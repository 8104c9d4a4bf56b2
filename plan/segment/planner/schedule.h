// Phases that share memory over time: which rows of which tensor are made and held, step by step, when layers run a few
// rows at a time. Segments of layers that run together by phases; what crosses a segment's end is a whole tensor. What
// `dse memory` tabulates, what the planner of shared phases searches, and what plans are lowered from.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "plan/alloc/problem.h"
#include "plan/network/layer_graph.h"

namespace dse::plan::shared {

/// What becomes of a network's input: whole and untouched until the network has run (kept); whole at first, its rows
/// given up once nothing reads them any more (released); not there at first, its rows come in as they are asked for
/// (streamed).
enum class Input { released, kept, streamed };

/// Rows that two phases both need: they stay from one phase to the next (cached), or every phase computes them anew
/// (recomputed), so that nothing inside the segment lives from one phase to the next.
enum class Halo { cached, recomputed };

/// Layers that run together, `first` to `last` of the graph's layers in their order, sources left out of both the
/// numbering and the segments: position 0 is the first layer that is no source. The last layer drives: it makes `rows`
/// rows per phase and demands of the others what that takes.
struct RowSegment {
  int first = 0, last = 0;
  std::int64_t rows = 0;  // of the last layer per phase; 0 = all, one phase
  /// Halo::cached: per layer first..last-1 the most rows of a call, 0 = as many as are asked for; empty = all 0. With 1
  /// a layer makes one row, and whoever asked may use it up, before it makes the next.
  std::vector<std::int64_t> grain;
  Halo halo = Halo::cached;
  /// Halo::cached: the columns of the last layer are made in so many strips, one after the other, by all layers; what
  /// two strips need of a layer inside is made for both. See strips_of().
  std::int64_t strips = 1;
  bool operator==(const RowSegment&) const = default;
};

/// Rows [begin, end) of a layer's output are computed in one call; of a source: come in (only where they are streamed).
struct Step {
  int layer = 0;  // index into LayerGraph::layers
  std::int64_t begin = 0, end = 0;
  int segment = 0;  // index; of a source: that of the layer which asked
  int strip = 0;    // of the segment
  bool operator==(const Step&) const = default;
};

/// During the steps [from, to) a tensor's rows [lo, hi) must lie in memory: made or being made, and still read in or
/// after these steps.
struct Held {
  int from = 0, to = 0;
  std::int64_t lo = 0, hi = 0;
  bool operator==(const Held&) const = default;
};

/// What becomes of one tensor.
struct TensorUse {
  int tensor = -1;                          // as Edge::tensor; -1: made by a layer without readers
  int layer = 0;                            // that makes it (a source: an input of the network)
  std::int64_t rows = 1, row_elements = 1;  // of a tensor inside a segment in strips: those of the widest strip
  /// Rows of the ring that it lives in: row y lies in slot y mod ring. 0 = it has a place for each row; so do tensors
  /// that cross a segment's end, outputs of the network, and inputs that are not streamed.
  std::int64_t ring = 0;
  std::vector<Held> held;  // ascending, apart from each other
};

struct Schedule {
  std::vector<Step> steps;
  std::vector<TensorUse> tensors;  // by layer
  /// Rows times columns computed, per layer of the graph (columns are 1 where it makes whole rows only); what is
  /// computed anew counts again.
  std::vector<std::int64_t> computed;
  std::vector<std::int64_t> calls;  // per layer of the graph
};

/// The schedule of these segments, which must cover the layers in order, one after the other. Within a segment, demand
/// driven: a layer runs when rows are asked for that it has not made (its own inputs first, in the order of its edges);
/// rows that nobody in the segment asked for but somebody later reads come last, in the layers' order. Inputs of the
/// segment are there whole. rows_needed() and rows_released() of plan/network/parts.h tell which rows a call reads and
/// gives up; a row of a tensor is given up when all of its readers have given it up. A layer that is at_once makes all
/// of its rows in one call. In several strips all of that is done once per strip. Halo::recomputed: per phase one call
/// of each layer, in the order of the layers, for the rows that the phase needs; only what somebody outside the segment
/// reads, and network outputs, are made once, row by row.
/// @throws InvariantError for segments that do not cover the layers, and for strips that cannot be.
Schedule expand(const phases::LayerGraph& graph, std::span<const RowSegment> segments, Input input);

/// The most bytes that are held in one step: live rows only, ideally packed.
std::int64_t peak_bytes(const Schedule& s, std::int64_t bytes_per_element);

/// One tensor as the allocator sees it: time is the number of the step. It takes the rows that it holds; a ring, whose
/// rows lie on both sides of its end, all that it has.
alloc::Buffer buffer_of(const TensorUse& t, std::int64_t bytes_per_element);

}  // namespace dse::plan::shared
