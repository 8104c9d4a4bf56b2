// How the tensors of a network are quantised, for people: ranges of scales and zero points, Q formats.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/nn/network.h"
#include "models/nn/quantizer/qformat.h"

namespace dse::nn {

/// The quantisation of one tensor.
struct TensorQuantization {
  int scales = 1;  // 1: per tensor; else per index of `axis`
  int axis = 0;
  float scale_min = 0, scale_max = 0;
  std::int64_t zero_min = 0, zero_max = 0;
  std::optional<quantizer::QFormat> format;  // int8 and int16 with one power of two as scale and zero point 0
  std::int32_t correction_min = 1, correction_max = 1;
  bool per_channel() const { return scales > 1; }
};

/// Empty for tensors without a scale.
std::optional<TensorQuantization> quantization_of(const Tensor& t);

/// "Q0.7" or "Q0.7 x 2..5" (correction factors), where `op` computes in Q formats and the tensor is in one; else empty.
std::string format_text(const Operator& op, const Tensor& t);

/// Tensors that are quantised alike.
struct QuantizationGroup {
  enum class Role { activations, weights, biases, variables };
  Role role = Role::activations;
  DataType type = DataType::int8;
  bool per_channel = false;
  std::int64_t tensors = 0;
  TensorQuantization range{};          // over all of them; `format` is not set
  std::vector<std::string> formats{};  // Q formats in use, sorted; empty where no operator computes in them
};
/// "activations", "weights", "biases", "variables".
const char* name_of(QuantizationGroup::Role r);

/// All quantised tensors that an operator reads or makes, in groups ordered by role, type and granularity.
std::vector<QuantizationGroup> quantization_groups(const Network& n);

}  // namespace dse::nn
