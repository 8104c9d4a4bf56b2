// Rewrites that every network goes through at import, after which operators that would run whole run in tiles and by
// rows: paddings go into the windows that read them, transpositions that undo each other go. Outputs keep their bytes.
//
// A rewrite sees a finished network and leaves one whose operators finish_network() has to derive anew. Tensors keep
// their indices and names; those that nothing makes or reads any more stay behind.
#pragma once
#include <string>
#include <vector>

#include "models/nn/network.h"
#include "models/nn/passes/rewrite.h"

namespace dse::nn {

/// finish_network(), the rewrites, and finish_network() again, unless `options` asks for the network as it is in the
/// file. What importers end with.
NetworkPtr import_network(Network network, Diagnostics& diags, const std::string& file, const LoadOptions& options);

/// The rewrites alone, again and again until none applies. Network::rewrites says what was done.
/// @param network finished. @returns the same network when there is nothing to do.
NetworkPtr rewritten(NetworkPtr network, const LoadOptions& options = {});

/// A network without tensors that nothing makes or reads, finished: what is written to a file.
NetworkPtr without_leftovers(const Network& network);

namespace rewrite {

/// Rewrites of one kind between two derivations, so that hostile files end.
inline constexpr int most_at_once = 512;

/// PAD into the convolutions, pools and paddings that read it, if that changes no byte for any of them. @returns
/// whether it did anything.
bool fold_pads(Network& n);

/// Padding in elements as far as windows reach, as SAME or VALID where that is the same: one form for equal windows.
bool trim_padding(Network& n);

/// TRANSPOSE that moves no byte (dimensions of extent 1) as RESHAPE.
bool transposes_to_reshapes(Network& n);

/// TRANSPOSE of TRANSPOSE as one, and as none where they cancel.
bool join_transposes(Network& n);

/// TRANSPOSE, element-wise operators, and what undoes it: the operators in the order before it.
bool drop_transposes_around(Network& n);

/// TRANSPOSE before MEAN, SUM, REDUCE_MAX or REDUCE_MIN: other axes instead, where what is left keeps its order.
bool transposes_into_reductions(Network& n);

/// Notes reductions of images that are computed as pools (models/nn/derive/reduction.cpp).
void note_reductions(Network& n);

/// Runs on integers by a kernel.
inline bool runs(const Operator& op) { return op.evaluation == Evaluation::kernel && op.unsupported.empty(); }
/// Something that is computed or given, not a constant and not a variable.
inline bool flows(const Network& n, int t) {
  return t >= 0 && (at(n, t).kind == TensorKind::activation || at(n, t).kind == TensorKind::input);
}
/// Takes operators out; their tensors stay.
void drop_operators(Network& n, const std::vector<bool>& dead);
void note(Network& n, const std::string& what, const Operator& where, const std::string& text);

}  // namespace rewrite
}  // namespace dse::nn
