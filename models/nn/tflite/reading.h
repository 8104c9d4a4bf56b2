// Parts of the reader of TensorFlow Lite files. What the file holds is suspect: every index is checked before use, and
// what one table may make us allocate counts against a budget (a flatbuffer may point at the same bytes many times
// over).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/nn/network.h"
#include "tflite_generated.h"

namespace dse::nn {

struct TfliteCodec;

inline constexpr std::size_t max_tflite_tables = 1 << 16;                  // tensors, operators: each
inline constexpr std::int64_t max_tflite_bytes = std::int64_t{256} << 20;  // constants, names, scales, options
inline constexpr std::size_t max_tflite_rank = 8, max_tflite_ports = 1 << 10, max_tflite_name = 4096;

/// Elements of a vector that the file may leave out.
template <class V>
std::size_t length(const V* v) {
  return v ? v->size() : 0;
}

/// A model while it is read.
struct TfliteReading {
  TfliteReading(const tflite::Model& model, const std::string& file, Diagnostics& diags)
      : model(model), file(file), diags(diags) {}

  const tflite::Model& model;
  const std::string& file;
  Diagnostics& diags;
  Network network;
  /// By tensor: why an operator that uses it cannot be run; empty where it can.
  std::vector<std::string> problems;
  /// By tensor: an operator so far takes it.
  std::vector<bool> taken;
  /// By tensor: an output of the network that no operator of the file takes.
  std::vector<bool> ends;
  std::int64_t copied = 0;
  bool failed = false;

  /// The file is no network.
  void fail(const std::string& what, const std::string& hint = {});
  /// Lists by tensor are as long as there are tensors.
  void grow() {
    problems.resize(network.tensors.size());
    taken.resize(network.tensors.size());
    ends.resize(network.tensors.size());
  }
  /// Counts bytes that are about to be copied. @returns false once the budget is used up.
  bool spend(std::size_t bytes);
  bool valid(std::int64_t tensor) const {
    return tensor >= 0 && static_cast<std::uint64_t>(tensor) < network.tensors.size();
  }
};

/// The model in a file whose offsets and lengths stay inside it. Null after an error: another format or version,
/// damaged.
const tflite::Model* verified_tflite(const std::vector<std::uint8_t>& bytes, const std::string& file,
                                     Diagnostics& diags);

/// Reads one tensor of any subgraph: shape, type, quantisation, data. @param problem why an operator that uses it
/// cannot be run, if so. What makes the whole file unreadable goes to `reading.fail`.
Tensor read_tflite_tensor(TfliteReading& reading, const tflite::Tensor& from, const std::string& where,
                          std::string& problem);

/// Moves the operands that say what to do (axes, shapes, paddings, permutations, ...) from `op.inputs` to `op.options`
/// and puts the others in the order of network.h. Where that cannot be done, the operator becomes OperatorKind::other
/// with the reason in `unsupported`, its inputs as in the file. All tensor indices must be valid or -1.
void read_tflite_operands(const Network& n, const tflite::Operator& from, const TfliteCodec& codec, Operator& op);

/// Begins, ends and strides of a STRIDED_SLICE of a tensor of `shape` to those of OperatorOptions. @param masks null:
/// none is set. @returns false, with the reason in `op.unsupported`, when they select nothing.
bool resolve_strided_slice(const tflite::StridedSliceOptions* masks, const std::vector<std::int64_t>& shape,
                           const std::vector<std::int64_t>& begin, const std::vector<std::int64_t>& end,
                           const std::vector<std::int64_t>& strides, Operator& op);

/// Values of a constant INT32 or INT64 tensor with at most max_tflite_ports elements.
/// @returns false when it is none.
bool constant_integers(const Network& n, int tensor, std::vector<std::int64_t>& out);

}  // namespace dse::nn
