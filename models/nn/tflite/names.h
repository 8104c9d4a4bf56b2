#pragma once
#include <cstdint>
#include <string>

namespace dse::nn {

/// Name of a TensorFlow Lite builtin operator code ("CONV_2D"), or "operator code 999" for one that we have never heard
/// of.
std::string builtin_operator_name(std::int32_t code);
/// Name of a TensorFlow Lite tensor type ("FLOAT16"), or "type 99".
std::string tensor_type_name(std::int32_t type);

}  // namespace dse::nn
