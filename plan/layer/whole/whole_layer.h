// Layers that are computed at once: operators that are several kernel calls (batches, concatenations, splits), kinds
// whose tiles need most of the input anyway (transposes, reductions, resizing, recurrent ones), constant or broadcast
// operands. Inputs that the engine does not reach are copied to its nearest memory whole, the calls of nn::Operator run
// one after the other, and what was made there is copied home; or all of that in pieces (plan/layer/whole/pieces.h).
#pragma once
#include <map>
#include <string>

#include "plan/layer/layer.h"

namespace dse::plan {

/// The constants of a whole layer, one after the other, each aligned to 16 bytes: parameter records, weights, table,
/// constant tensors in order of first use.
class ConstantBlob {
 public:
  ConstantBlob(const nn::Network& network, const nn::Operator& op);
  std::int64_t size() const { return size_; }
  std::vector<std::uint8_t> bytes() const;
  /// Offset of an operand that has no tensor, by role. @throws InvariantError when there is none.
  std::int64_t offset_of(dse_role role) const;
  /// Offset of a constant tensor. @throws InvariantError when the operator does not read it.
  std::int64_t offset_of_tensor(int tensor) const;

 private:
  const nn::Network& network_;
  const nn::Operator& op_;
  std::map<int, std::int64_t> roles_, tensors_;
  std::int64_t size_ = 0;
};

/// Fills inputs, output and buffers. @returns what is missing, empty when nothing is.
std::string whole_geometry(LayerGeometry& g, const LayerContext& context, const LayerChoice& choice);
void emit_whole(program::Program& program, const LayerContext& context, const LayerGeometry& g,
                const LayerOffsets& offsets);

}  // namespace dse::plan
