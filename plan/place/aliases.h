// Which tensors share bytes: reshapes with their input, parts with the concatenation or the padded tensor that they lie
// in, and tensors that an element-wise operator writes over.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "plan/layer/layer.h"

namespace dse::plan {

/// Where a tensor's bytes are: in the buffer of `root`, from `offset` bytes on. A part of a larger image keeps the
/// distances of that image.
struct TensorPlace {
  int root = -1;  // itself, where the tensor has a buffer of its own
  std::int64_t offset = 0;
  Strides inside;  // dense: one after the other, as in a buffer of its own
};

struct TensorPlaces {
  std::vector<TensorPlace> of;  // per tensor
  /// Per tensor: the one whose buffer its own takes over in the layer that makes it; -1 = none.
  std::vector<int> over;
  std::string problem;     // a layer that cannot be in place as chosen, and why; empty = none
  int problem_layer = -1;  // the operator
};

/// Places of all tensors under these choices (one per operator). Reshapes, where they are aliased, and layers that are
/// in place. `order`: of the layers, as they run; empty: as in the file.
TensorPlaces place_tensors(const nn::Network& network, const std::vector<LayerChoice>& choices, bool alias_reshapes,
                           const std::vector<int>& order = {});

}  // namespace dse::plan
