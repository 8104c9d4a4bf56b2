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

/// By layer + 1, the network's input first.
std::vector<Estimate> estimate_ranges(const NetworkSpec& spec);

/// Estimate::given of a SOFTMAX: what the kernels compute.
Quantization softmax_quantization();

}  // namespace dse::nn
