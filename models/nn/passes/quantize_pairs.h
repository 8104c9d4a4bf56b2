// Parts of fold_quantize_pairs.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "models/nn/network.h"

namespace dse::nn::pairs {

/// Moves values or picks some of them: commutes with quantisation.
bool moves_values(const Network& n, const Operator& op);
/// Has an integer kernel between DEQUANTIZE and QUANTIZE, given that every operand is quantised.
bool computes(const Network& n, const Operator& op);
/// One scale and zero point on 8 bits.
bool is_quantized(const Tensor& t);

/// A constant of float32 as `like` says (type, scales, axis): clamp(rne(x / scale) + zero point), binary32 division.
std::vector<std::uint8_t> quantized_values(const Tensor& real, DataType type, const Quantization& q);
/// A constant of integers in float32: (q - zero point) * scale in binary32.
std::vector<float> dequantized_values(const Tensor& t);

/// The activation that cuts as `op` (RELU, RELU6, CLIP) does, as far as a tensor like `out` can tell. Nothing if there
/// is none.
std::optional<Activation> activation_as(const Operator& op, const Tensor& out);

/// The bias as int32 in steps of input scale times weight scale: the file's integers where they have that scale, else
/// its real values, rounded half to even. Nothing if they are not constant.
std::optional<std::vector<std::int32_t>> integer_bias(const Tensor& bias, float in_scale, const Tensor& weights,
                                                      std::int64_t channels);

/// Scale and zero point of tensors that have none, from the other side of operators that only move values.
void propagate_quantization(Network& n);

/// Makes constants of what a float operator still reads of constants through a DEQUANTIZE.
void fold_constants(Network& n);

}  // namespace dse::nn::pairs
