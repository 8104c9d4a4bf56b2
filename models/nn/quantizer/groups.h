// Which tensors have to share their quantisation.
#pragma once
#include <vector>

#include "models/nn/quantizer/quantizer.h"

namespace dse::nn::quantizer {

/// An operator that moves or selects raw values, so that its operands and results have one scale and zero point:
/// TensorFlow Lite demands it of pools, reshapes, concatenations, paddings, maxima ...; with Q formats a concatenation
/// may change formats on the way.
bool moves_raw_values(OperatorKind k, Scheme scheme);

/// A copy in the prepared float network that stands for a change of scale in the quantised one.
inline constexpr const char* change_of_scale = "QUANTIZE";
inline bool changes_scale(const Operator& op) {
  return op.kind == OperatorKind::identity && op.type == change_of_scale;
}

/// Real range of an operator whose output's quantisation is fixed: scale and zero point in 8 bits.
struct FixedOutput {
  float scale;
  std::int64_t zero_point;
};
/// TensorFlow Lite's quantisation specification: SOFTMAX and LOGISTIC 1/256 and -128, TANH and L2_NORMALIZATION 1/128
/// and 0, LOG_SOFTMAX 16/256 and 127.
std::optional<FixedOutput> fixed_output(OperatorKind k);

/// By tensor: the smallest index among the tensors that it shares its quantisation with.
std::vector<int> shared_quantization(const Network& n, Scheme scheme);

}  // namespace dse::nn::quantizer
