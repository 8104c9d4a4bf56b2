// What the parts of infer_shapes share.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "models/nn/graph/derivation.h"
#include "models/nn/network.h"

namespace dse::nn::shapes {

struct Inference {
  const Network& n;
  const Operator& op;
  std::vector<std::vector<std::int64_t>>& out;
  std::string& why;

  bool fail(std::string what);
  bool has(std::size_t i) const { return i < op.inputs.size() && op.inputs[i] >= 0; }
  const std::vector<std::int64_t>& in(std::size_t i) const {
    return n.tensors[static_cast<std::size_t>(op.inputs[i])].shape;
  }
  /// The shape that the output tensor has already.
  const std::vector<std::int64_t>& known(std::size_t i) const {
    return n.tensors[static_cast<std::size_t>(op.outputs[i])].shape;
  }
  /// Product of the extents; -1 for extents below 1 and for more than `limit`.
  static std::int64_t elements(const std::vector<std::int64_t>& shape, std::int64_t limit = max_constant_elements) {
    std::int64_t product = 1;
    for (const auto d : shape) {
      if (d < 1 || d > limit / product) return -1;
      product *= d;
    }
    return product;
  }
  /// Appends an output of this shape.
  bool make(std::vector<std::int64_t> shape) {
    if (out.size() >= op.outputs.size()) return fail("has fewer outputs than it makes");
    const auto made = static_cast<std::size_t>(op.outputs[out.size()]);
    const bool constant = n.tensors[made].kind == TensorKind::constant;  // a node that is folded
    if (elements(shape, constant ? max_constant_elements : max_elements) < 0)
      return fail("makes an output of shape " + text_of(shape));
    out.push_back(std::move(shape));
    return true;
  }
  bool rank_is(std::size_t i, std::size_t rank, const char* role);
  bool axis_below(std::int64_t axis, std::size_t rank);
  /// The options' axes are ascending and below `rank`.
  bool axes_below(std::size_t rank);
};

// infer_windows.cpp
bool convolution(Inference& f);
bool transposed_convolution(Inference& f);
bool circulant(Inference& f);
bool pool(Inference& f);
bool global_pool(Inference& f);
bool resize(Inference& f);
// infer_movement.cpp
bool squeeze(Inference& f);
bool expand_dims(Inference& f);
bool transpose(Inference& f);
bool slice(Inference& f);
bool pad(Inference& f);
bool reduction(Inference& f);
bool arg_extreme(Inference& f);

}  // namespace dse::nn::shapes
