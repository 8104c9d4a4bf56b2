// Whole layers in pieces: each of an operator's calls goes over its rows (or columns, or channels, where there is one
// row) a few at a time. A piece's part of every operand comes to the nearest memory, is computed there and goes home;
// what all pieces read, such as the smaller operand of a broadcast, comes once.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "plan/layer/layer.h"

namespace dse::plan {

/// An operand of a call in pieces that is copied to or from the nearest memory.
struct PieceOperand {
  int role = 0;
  dse_view local{};            // in the nearest memory, from the start of its buffer: a ring along the axis
  std::int64_t bytes = 0;      // of that buffer
  bool fixed = false;          // all pieces have the same box
  int depth = 1;               // pieces of it that have room
  std::vector<dse_box> boxes;  // per piece
};

enum class PieceAxis { rows, channels };

/// A call and its pieces.
struct PiecedCall {
  nn::KernelCall call;  // as the pieces see it: operands are at home
  PieceAxis axis = PieceAxis::rows;
  int extent = 1, size = 1;  // along the axis: of all and of a piece, the last of which may be smaller
  std::vector<PieceOperand> moved;
  int count() const { return (extent + size - 1) / size; }
  dse_tile tile(int piece) const;
};

/// Sizes of pieces worth trying for a whole layer, beside 0 for "not in pieces": largest first. Empty where it cannot
/// be cut.
std::vector<int> piece_sizes(const LayerContext& context);
/// Some call of the layer is more than one piece of this size.
bool cuts_calls(const LayerContext& context, int size);
/// Sets the largest pieces for which `fits` holds, with two buffers of each operand or one. @returns whether there are.
bool in_pieces_that_fit(const LayerContext& context, LayerChoice& choice,
                        const std::function<bool(const LayerChoice&)>& fits);

/// The calls of a layer in pieces (LayerGeometry::pieces), with what is copied.
std::vector<PiecedCall> pieced_calls(const LayerContext& context, const LayerGeometry& geometry);

/// Buffers of a layer in pieces of choice.tile; its homes are known. @returns what is missing, empty when nothing is.
std::string hold_pieces(LayerGeometry& g, const LayerContext& context);

/// Appends the tasks: constants, a padding's border, pieces.
void emit_pieces(program::Program& program, const LayerContext& context, const LayerGeometry& geometry,
                 const LayerOffsets& offsets);

}  // namespace dse::plan
