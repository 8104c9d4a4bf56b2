// Operator codes of TensorFlow Lite and the kinds of this project.
#pragma once
#include <cstdint>
#include <optional>

#include "models/nn/network.h"

namespace dse::nn {

/// Kind of a builtin operator, OperatorKind::other where there is no counterpart.
OperatorKind kind_of_builtin(std::int32_t code);
/// Code of the builtin that computes this kind (PAD for pad, SPLIT_V for split); none where the format has no such
/// operator.
std::optional<std::int32_t> builtin_of(OperatorKind kind);

namespace builtin {
inline constexpr std::int32_t custom = 32, pad = 34, split = 49, padv2 = 60, split_v = 102, call_once = 129,
                              var_handle = 142, read_variable = 143, assign_variable = 144;
/// Codes from here on stand in the new field only; the old one then holds this number.
inline constexpr std::int32_t placeholder = 127;
}  // namespace builtin

}  // namespace dse::nn
