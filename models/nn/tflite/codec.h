// What TensorFlow Lite's format says of each builtin operator: one row per code, for reading and for writing.
#pragma once
#include <cstdint>

#include "models/nn/network.h"
#include "tflite_generated.h"

namespace dse::nn {

class OperandReader;
class OperandWriter;
struct TfliteOperator;

/// The option table of an operator. Null where the format has none, or none that is read.
struct TfliteOptions {
  /// Fills `op.options`; sets `op.unsupported` where an option has no counterpart here.
  void (*read)(const tflite::Operator& from, Operator& op) = nullptr;
  tflite::BuiltinOptionsUnion (*write)(const Network& n, const Operator& op, bool same_padding) = nullptr;
};

/// Operands that stand elsewhere than in Operator::inputs: what says what to do is a constant tensor in the file.
struct TfliteOperands {
  bool (OperandReader::*read)() = nullptr;
  bool (OperandWriter::*write)() = nullptr;
};

/// An operator while its version is chosen; `type` and `rank` are those of its first operand.
struct TfliteUse {
  const Network& n;
  const Operator& op;
  const tflite::BuiltinOptionsUnion& options;
  DataType type;
  std::size_t rank;
  const Tensor& input(std::size_t i) const { return n.tensors[static_cast<std::size_t>(op.inputs[i])]; }
  const Tensor& output() const { return n.tensors[static_cast<std::size_t>(op.outputs[0])]; }
};

/// The least operator versions whose interpreters know a type of the first operand. `otherwise` goes first; it returns
/// 0 where the type decides.
struct TfliteVersions {
  std::int32_t int8 = 1, int16 = 1, other = 1;
  std::int32_t (*otherwise)(const TfliteUse&) = nullptr;
};

struct TfliteCodec {
  std::int32_t code;  // as in the format's list of builtin operators
  OperatorKind kind;
  TfliteOptions options;
  TfliteOperands operands;
  TfliteVersions versions;
};

/// Null where there is no counterpart.
const TfliteCodec* tflite_codec(std::int32_t code);
/// The builtin that computes this kind (PAD for pad, SPLIT_V for split); null where the format has no such operator.
const TfliteCodec* tflite_codec(OperatorKind kind);

/// The least operator version whose interpreters know these types, ranks and options.
std::int32_t tflite_version(const Network& n, const Operator& op, const TfliteOperator& written);

namespace builtin {
inline constexpr std::int32_t dequantize = 6, reshape = 22, custom = 32, pad = 34, gather = 36, strided_slice = 45,
                              split = 49, padv2 = 60, tile = 69, split_v = 102, call_once = 129, broadcast_to = 130,
                              var_handle = 142, read_variable = 143, assign_variable = 144;
/// Codes from here on stand in the new field only; the old one then holds this number.
inline constexpr std::int32_t placeholder = 127;
}  // namespace builtin

}  // namespace dse::nn
