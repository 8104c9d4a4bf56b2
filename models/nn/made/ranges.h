// What the values of a described network are like, before there is a weight: seeded_network() scales by it.
#pragma once
#include <vector>

#include "models/nn/made/network_spec.h"
#include "models/nn/tensor.h"

namespace dse::nn {

/// Of the real values of a tensor.
struct Moments {
  double mean = 0, variance = 1;
};

/// The range of an int8 tensor and the moments of its real values.
struct Estimate {
  Moments moments;
  double lo = 0, hi = 0;
  bool given = false;  // the quantisation is not ours to choose: the network's input, SOFTMAX
  Quantization quantization{};
};

/// Tensors that must have one quantisation: by layer + 1 (the network's input first), the first layer of its group.
std::vector<int> shared_quantization(const NetworkSpec& spec);

/// By layer + 1, the network's input first; quantised to 8 bits.
std::vector<Estimate> estimate_ranges(const NetworkSpec& spec);

/// Estimate::given of a SOFTMAX: what the kernels compute.
Quantization softmax_quantization();

/// What 16 bits around 0 have for a tensor of 8 bits, one scale: as far as it reaches on either side. A SOFTMAX gets
/// 1/32768, which is what the kernels compute.
Quantization in_16_bits(const Quantization& of_8);

}  // namespace dse::nn
