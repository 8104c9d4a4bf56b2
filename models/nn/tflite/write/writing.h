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

/// One operator while it is written.
struct TfliteOperator {
  std::int32_t builtin = 0;
  bool same_padding = false;
  std::vector<int> inputs, outputs;
  tflite::BuiltinOptionsUnion options;
};

/// Builtin operator, operands and options for `op`. @returns false, with the reason in `why`, where there are none.
bool write_tflite_operator(TfliteWriting& to, const Operator& op, TfliteOperator& out, std::string& why);

/// The option table of the operator as it is written.
tflite::BuiltinOptionsUnion tflite_options(const Network& n, const Operator& op, const TfliteOperator& written);

/// The least operator version whose interpreters know these types, ranks and options.
std::int32_t tflite_version(const Network& n, const Operator& op, const TfliteOperator& written);

tflite::TensorType tflite_type(DataType t);

}  // namespace dse::nn
