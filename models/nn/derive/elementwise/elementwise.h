// What the derivations of element-wise operators share.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "models/nn/derive/derive.h"
#include "models/nn/quantize.h"

namespace dse::nn {

/// Types that element-wise kernels compute in.
inline constexpr std::initializer_list<DataType> narrow_types = {DataType::int8, DataType::uint8, DataType::int16};

/// enum dse_rounding of the operator's rounding mode.
std::int32_t kernel_rounding(const Operator& op);
/// Types, zero points (0 where a tensor has none), rounding mode, extents of the output, and the activation range of
/// the output's type. For operators with one or two operands of the output's shape.
void set_elementwise(Derivation& d, std::int32_t kind);
/// quantize_multiplier of a finite `real` >= 0 whose shift the kernels can do (at most 30); else fails.
bool multiplier_of(Derivation& d, double real, std::int32_t& multiplier, std::int32_t& shift);
/// Fraction bits n of a tensor in a Q format: scale 2^-n with |n| <= 30, zero point 0; else fails.
bool fraction_bits(Derivation& d, const Tensor& t, std::int32_t& n);
/// n where the scale is 2^-n with 0 <= n <= 16; else -1.
int binary_digits(float scale);
/// Parameters of DSE_REQUANTIZE from one quantised tensor to another in the operator's rounding mode. Sets (m1, s1) or
/// arg[0], types and zero points; not extents and not the activation range.
/// @param real ratio of the scales, as the operator computes it; not used in the qformat mode.
bool set_requantization(Derivation& d, dse_op& k, const Tensor& from, const Tensor& to, double real);
/// The plain call, with the operator's table of `elements` entries of `bytes` each as DSE_LUT.
void add_call_with_table(Derivation& d, std::int32_t elements, std::int32_t bytes);
/// Rounds to the nearest integer, ties to even, whatever the processor's rounding mode is.
double round_half_even(double v);

/// ELU by TensorFlow Lite's table in binary32.
bool derive_elu_table(Derivation& d);
/// The tables of SOFTMAX from int16 to int16.
std::vector<std::uint8_t> softmax16_tables();

/// Makes `op.table` and the call of DSE_LOOKUP; `entry(q)` is the output value of the raw input value q.
template <class F>
void add_lookup(Derivation& d, F entry) {
  set_elementwise(d, DSE_LOOKUP);
  const ActivationRange in = type_range(d.input().type);
  const auto bytes = static_cast<std::int32_t>(size_of(d.output().type));
  d.op.table.clear();
  for (std::int32_t q = in.min; q <= in.max; ++q) {
    const auto v = static_cast<std::uint32_t>(static_cast<std::int32_t>(entry(q)));
    for (int b = 0; b < bytes; ++b) d.op.table.push_back(static_cast<std::uint8_t>(v >> (8 * b)));
  }
  add_call_with_table(d, 256, bytes);
}

}  // namespace dse::nn
