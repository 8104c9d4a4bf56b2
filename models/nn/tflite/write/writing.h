// Parts of the writer of TensorFlow Lite files.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "models/nn/network.h"
#include "tflite_generated.h"

namespace dse::nn {

/// The flatbuffer in its object form, which tests damage before it is packed. @returns null on error.
std::unique_ptr<tflite::ModelT> tflite_model(const Network& network, Diagnostics& diags);
std::vector<std::uint8_t> pack_tflite(const tflite::ModelT& model);

/// A model while it is written.
struct TfliteWriting {
  const Network& network;
  tflite::ModelT model;
  tflite::SubGraphT graph;

  const Tensor& tensor(int i) const { return network.tensors[static_cast<std::size_t>(i)]; }
  /// Index in the graph of a constant INT32 tensor with these elements: one that the network has, or a new one.
  int constant(const std::string& name, const std::vector<std::int64_t>& shape,
               const std::vector<std::int64_t>& values);
  /// Index of the operator code in the model.
  std::uint32_t code(std::int32_t builtin, std::int32_t version);
  std::uint32_t buffer(std::vector<std::uint8_t> data);
};

struct TfliteCodec;

/// One operator while it is written.
struct TfliteOperator {
  const TfliteCodec* codec = nullptr;
  std::int32_t builtin = 0;  // the codec's, but for a slice with strides
  bool same_padding = false;
  std::vector<int> inputs, outputs;
  tflite::BuiltinOptionsUnion options;
};

/// Builtin operator, operands and options for `op`. @returns false, with the reason in `why`, where there are none.
bool write_tflite_operator(TfliteWriting& to, const Operator& op, TfliteOperator& out, std::string& why);

tflite::TensorType tflite_type(DataType t);

}  // namespace dse::nn
