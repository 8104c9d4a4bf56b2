// Words and short forms that the three forms of `dse inspect` share.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/nn/network.h"
#include "models/nn/summary/summary.h"
#include "models/nn/summary/summary_quantization.h"

namespace dse::reports {

/// "1x32x32x3"; "scalar" without dimensions.
std::string shape_text(const std::vector<std::int64_t>& shape);
/// "i8", "u8", "i16", "i32", "i64", "f32", "bool".
std::string short_type(nn::DataType t);
/// What an operator computes in: "i8", "i16*i8" (activations and weights differ), "u8>i8" (input and output differ).
std::string data_types(const nn::Network& n, const nn::LayerSummary& layer);
/// Text of a file without control characters or invalid UTF-8, cut to 60 bytes.
std::string printable(const std::string& text);
/// The name of a tensor, quoted; "tensor 7" where it has none.
std::string tensor_text(const nn::Network& n, int tensor);
/// One decimal from 10 on, else three significant digits; "-" for 0.
std::string intensity_text(double macs_per_byte);
/// "0.0078125" or "0.00024..0.0113"; six significant digits at most.
std::string scale_text(const nn::TensorQuantization& q);
/// "-128" or "-128..3".
std::string zero_text(const nn::TensorQuantization& q);
/// "scale 0.0078125, zero point 0", "64 scales 0.00024..0.0113 along axis 0, zero point 0"; empty if not quantised.
std::string quantization_text(const nn::Tensor& t);
/// What the layer's tensors are in where it computes in Q formats: "Q0.7 -> Q2.5, weights Q0.7 x 2..5"; else empty.
std::string format_text(const nn::Network& n, int op);
/// Ascending indices: "0-3, 7, 9-12".
std::string ranges_text(const std::vector<int>& indices);

/// Kinds that belong together, for colours: "weighted", "pooling", "arithmetic", "activation", "movement",
/// "recurrent", "conversion", "other".
const char* group_of(nn::OperatorKind k);

}  // namespace dse::reports
