// Where a tensor lies between layers, and how.
#pragma once
#include <cstdint>
#include <string>

#include "models/nn/network.h"

namespace dse::plan {

/// Order of an image's elements: hwc channels-last, chw plane after plane.
enum class TensorLayout { hwc, chw };
const char* name_of(TensorLayout l);  // hwc, chw

/// Bytes from one column and from one row of an image to the next; 0 = the image is dense.
struct Strides {
  std::int64_t w = 0, h = 0;
  bool dense() const { return w == 0 && h == 0; }
  bool operator==(const Strides&) const = default;
};

struct Placement {
  int memory = -1;
  TensorLayout layout = TensorLayout::hwc;
  Strides inside{};  // of the larger image that it is a part of; dense: it has bytes of its own
  bool operator==(const Placement&) const = default;
};

/// Bytes that a tensor with bytes of its own takes in this layout: of all its elements, and of what a layout adds.
std::int64_t bytes_of(const nn::Tensor& tensor, TensorLayout layout);

/// All that tells two placements apart; ids and keys are made of it and of nothing else.
std::string key_of(const Placement& p);

}  // namespace dse::plan
