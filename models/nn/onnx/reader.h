// The network under construction while an ONNX graph is read, and the node that is being read.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "models/nn/network.h"
#include "onnx.pb.h"

namespace dse::nn::onnx_import {

using Shape = std::vector<std::int64_t>;

/// ONNX's element type; none for types that are not read.
std::optional<DataType> element_type(int onnx_type);
/// "FLOAT16" and its like, for messages.
std::string element_type_name(int onnx_type);

/// One node with typed access to its attributes. A wrong attribute is remembered in `bad`.
struct Node {
  const onnx::NodeProto* proto = nullptr;
  int opset = 0;
  std::vector<int> inputs;  // tensors, -1 = left out
  Operator op;              // to be filled; its inputs are `inputs` unless the conversion sets them
  bool operands_set = false;
  bool folded = false;  // its outputs are constants: no operator
  bool flat = false;    // one-dimensional, computed on images of height 1 (lift.cpp)
  std::optional<DataType> type;
  std::vector<Shape> shapes;                 // of the outputs, for kinds that take them from the output tensor
  std::optional<Quantization> quantization;  // of the outputs
  std::string bad;

  const onnx::AttributeProto* attribute(const char* name) const;
  std::int64_t integer(const char* name, std::int64_t otherwise);
  float number(const char* name, float otherwise);
  std::string text(const char* name, const std::string& otherwise);
  std::optional<std::vector<std::int64_t>> integers(const char* name);
  std::optional<std::vector<float>> numbers(const char* name);
  bool flag(const char* name, bool otherwise) { return integer(name, otherwise ? 1 : 0) != 0; }
  bool has(std::size_t input) const { return input < inputs.size() && inputs[input] >= 0; }

  /// A malformed node. @returns false.
  bool fail(std::string what);
  /// A well-formed node that cannot be run. @returns true: it is kept.
  bool unsupported(std::string why);

 private:
  const onnx::AttributeProto* typed(const char* name, int type);
};

class Reader {
 public:
  Reader(const onnx::GraphProto& graph, const LoadOptions& options, const std::string& file, Diagnostics& diags)
      : graph_(graph), options_(options), file_(file), diags_(diags) {}

  /// Reads everything. @returns false after an error.
  bool read(int opset);

  Network network;

  const Tensor& tensor(int t) const { return network.tensors[static_cast<std::size_t>(t)]; }
  Tensor& tensor(int t) { return network.tensors[static_cast<std::size_t>(t)]; }
  const Shape& shape(const Node& n, std::size_t input) const { return tensor(n.inputs[input]).shape; }
  bool is_constant(int t) const { return tensor(t).kind == TensorKind::constant; }
  int add(Tensor t);
  /// Another constant with the contents of constant `t` in another shape.
  int reshaped(int t, Shape shape);
  /// The value of output `i` of the node is this constant.
  void bind(Node& n, int i, int t);
  /// Values of a constant of integers (int32, int64, boolean and 8-bit), at most 64 Ki; nothing for other tensors.
  std::optional<std::vector<std::int64_t>> integers(int t) const;
  /// Values of a constant of float32, at most 64 Ki.
  std::optional<std::vector<float>> numbers(int t) const;
  /// A name for a tensor that the file does not have.
  std::string fresh_name(const std::string& stem);
  bool is_used(const std::string& value) const { return used_.count(value) > 0; }
  /// A tensor [N, C, L] as [N, C, 1, L] (lift.cpp).
  int lifted(int t);
  /// Inputs that are such tensors are taken as images, where operators of this kind take one as well as the other.
  void lift_operands(Node& n, OperatorKind kind);

 private:
  bool fail(const std::string& what, const std::string& hint = {});
  bool read_initializers();
  bool read_inputs();
  bool read_outputs();
  bool input_shape(const onnx::ValueInfoProto& value, Shape& shape);
  bool sort_nodes(std::vector<int>& order);
  bool report_cycle(const std::map<std::string, int>& makers, const std::vector<bool>& done);
  std::string where(int node) const;
  bool read_node(int index, int opset);
  void convert_node(Node& n);
  bool finish_node(Node& n, const std::string& where);
  bool make_outputs(Node& n, const std::string& where);
  int maker_of(int t) const;
  void refuse(const Operator& op, const std::string& where);
  bool report_refused();
  bool squeeze_output(const std::string& name, int image);
  bool add_value(const std::string& name, int t);
  void remove_unused();

  const onnx::GraphProto& graph_;
  const LoadOptions& options_;
  const std::string& file_;
  Diagnostics& diags_;
  std::map<std::string, int> values_;
  std::map<std::string, const onnx::ValueInfoProto*> infos_;
  std::set<int> shapeless_;             // made by operators that are not understood
  std::map<int, std::string> foreign_;  // constants of types that are not read
  std::map<int, int> images_;           // [N, C, L] -> the same as [N, C, 1, L]
  /// Nodes that cannot be run, of one type and for one reason: the first of them, and how many.
  struct Refused {
    std::string type, why, first;
    int count = 0;
  };
  std::vector<Refused> refused_;
  std::map<std::string, int> node_names_;
  std::set<std::string> used_;
  std::int64_t copied_ = 0;
  int running_ = 0;
};

/// Reads a TensorProto. @returns false with the reason in `why`.
bool read_tensor(const onnx::TensorProto& from, Tensor& to, std::string& why);

/// Evaluates a node of constants and shapes. @returns whether it is one (then `n.folded` or `n.bad` is set).
bool fold_constants(Reader& r, Node& n);
/// Of these, Gather, Concat, Slice, Tile and Expand.
bool fold_pieces(Reader& r, Node& n);
/// Of these, arithmetic on at most 64 Ki numbers.
bool fold_numbers(Reader& r, Node& n);
/// The node's output is a constant with these contents, or of these integers. @returns true.
bool bind_data(Reader& r, Node& n, std::vector<std::uint8_t> data, Shape shape, DataType type);
bool bind_values(Reader& r, Node& n, const std::vector<std::int64_t>& values, Shape shape, DataType type);

/// Turns a node into an operator: options, and kind and operands where they differ from the table's and the node's.
/// @returns false when the node is malformed.
using Conversion = bool (*)(Reader& r, Node& n);
struct Converter {
  const char* type;
  OperatorKind kind;  // unless the conversion says another
  Conversion convert;
  int min_inputs, max_inputs;
  int outputs;  // that are made; further ones must not be used
};
const Converter* find_converter(const std::string& type, const std::string& domain);

/// >= 0, or fails.
bool normalise_axis(Node& n, std::int64_t& axis, std::size_t rank);
/// Ascending and >= 0, without doubles.
bool normalise_axes(Node& n, std::vector<std::int64_t>& axes, std::size_t rank);

// onnx/windows.cpp
bool convert_conv(Reader& r, Node& n);
bool convert_conv_transpose(Reader& r, Node& n);
bool convert_pool(Reader& r, Node& n);
bool convert_global_pool(Reader& r, Node& n);
bool convert_resize(Reader& r, Node& n);
bool convert_upsample(Reader& r, Node& n);
// onnx/shapes.cpp
bool convert_reshape(Reader& r, Node& n);
bool convert_flatten(Reader& r, Node& n);
bool convert_transpose(Reader& r, Node& n);
bool convert_squeeze(Reader& r, Node& n);
bool convert_unsqueeze(Reader& r, Node& n);
bool convert_slice(Reader& r, Node& n);
bool convert_split(Reader& r, Node& n);
bool convert_pad(Reader& r, Node& n);
bool convert_concat(Reader& r, Node& n);
bool convert_reduce(Reader& r, Node& n);
bool convert_arg(Reader& r, Node& n);
bool convert_expand(Reader& r, Node& n);
bool convert_tile(Reader& r, Node& n);
bool convert_gather(Reader& r, Node& n);
// onnx/elementwise.cpp
bool convert_unary(Reader& r, Node& n);
bool convert_binary(Reader& r, Node& n);
bool convert_extreme(Reader& r, Node& n);
bool convert_clip(Reader& r, Node& n);
bool convert_cast(Reader& r, Node& n);
bool convert_dropout(Reader& r, Node& n);
bool convert_softmax(Reader& r, Node& n);
bool convert_lrn(Reader& r, Node& n);
bool convert_batch_normalization(Reader& r, Node& n);
bool convert_gemm(Reader& r, Node& n);
bool convert_matmul(Reader& r, Node& n);
// onnx/quantized.cpp
bool convert_quantize(Reader& r, Node& n);
bool convert_dequantize(Reader& r, Node& n);
bool convert_qlinear_conv(Reader& r, Node& n);
bool convert_qlinear_matmul(Reader& r, Node& n);
bool convert_qlinear_binary(Reader& r, Node& n);
bool convert_qlinear_unary(Reader& r, Node& n);
bool convert_qlinear_global_average_pool(Reader& r, Node& n);
bool convert_qlinear_concat(Reader& r, Node& n);

}  // namespace dse::nn::onnx_import
