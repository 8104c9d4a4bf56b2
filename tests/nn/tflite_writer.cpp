#include "tflite_writer.h"

#include <memory>

#include "models/nn/import.h"

namespace dse::nn::test {

namespace fb = tflite;

namespace {

fb::TensorType type_of(DataType t) {
  switch (t) {
    case DataType::int8:
      return fb::TensorType::INT8;
    case DataType::uint8:
      return fb::TensorType::UINT8;
    case DataType::int16:
      return fb::TensorType::INT16;
    case DataType::int32:
      return fb::TensorType::INT32;
    case DataType::int64:
      return fb::TensorType::INT64;
    case DataType::float32:
      return fb::TensorType::FLOAT32;
    case DataType::boolean:
      return fb::TensorType::BOOL;
  }
  return fb::TensorType::INT8;
}

fb::ActivationFunctionType activation_of(Activation a) {
  switch (a) {
    case Activation::none:
      return fb::ActivationFunctionType::NONE;
    case Activation::relu:
      return fb::ActivationFunctionType::RELU;
    case Activation::relu6:
      return fb::ActivationFunctionType::RELU6;
    case Activation::relu_n1_to_1:
      return fb::ActivationFunctionType::RELU_N1_TO_1;
  }
  return fb::ActivationFunctionType::NONE;
}

template <class O>
O windowed(const OperatorOptions& from) {
  O o;
  o.padding = from.same_padding ? fb::Padding::SAME : fb::Padding::VALID;
  o.stride_h = from.stride_h;
  o.stride_w = from.stride_w;
  o.fused_activation_function = activation_of(from.activation);
  return o;
}

fb::BuiltinOptionsUnion options_of(const Operator& op) {
  fb::BuiltinOptionsUnion u;
  const OperatorOptions& from = op.options;
  switch (op.kind) {
    case OperatorKind::conv_2d: {
      auto o = windowed<fb::Conv2DOptionsT>(from);
      o.dilation_h_factor = from.dilation_h, o.dilation_w_factor = from.dilation_w;
      u.Set(std::move(o));
      break;
    }
    case OperatorKind::depthwise_conv_2d: {
      auto o = windowed<fb::DepthwiseConv2DOptionsT>(from);
      o.dilation_h_factor = from.dilation_h, o.dilation_w_factor = from.dilation_w,
      o.depth_multiplier = from.depth_multiplier;
      u.Set(std::move(o));
      break;
    }
    case OperatorKind::average_pool_2d:
    case OperatorKind::max_pool_2d: {
      auto o = windowed<fb::Pool2DOptionsT>(from);
      o.filter_height = from.filter_h, o.filter_width = from.filter_w;
      u.Set(std::move(o));
      break;
    }
    case OperatorKind::fully_connected: {
      fb::FullyConnectedOptionsT o;
      o.fused_activation_function = activation_of(from.activation);
      u.Set(std::move(o));
      break;
    }
    case OperatorKind::add: {
      fb::AddOptionsT o;
      o.fused_activation_function = activation_of(from.activation);
      u.Set(std::move(o));
      break;
    }
    case OperatorKind::softmax: {
      fb::SoftmaxOptionsT o;
      o.beta = from.beta;
      u.Set(std::move(o));
      break;
    }
    default:
      break;
  }
  return u;
}

int code_of(OperatorKind k) {
  switch (k) {
    case OperatorKind::add:
      return 0;
    case OperatorKind::average_pool_2d:
      return 1;
    case OperatorKind::conv_2d:
      return 3;
    case OperatorKind::depthwise_conv_2d:
      return 4;
    case OperatorKind::fully_connected:
      return 9;
    case OperatorKind::max_pool_2d:
      return 17;
    case OperatorKind::reshape:
      return 22;
    case OperatorKind::softmax:
      return 25;
    default:
      return -1;
  }
}

}  // namespace

std::vector<std::uint8_t> to_tflite(const Network& network, const Damage& damage) {
  fb::ModelT model;
  model.version = 3;
  auto graph = std::make_unique<fb::SubGraphT>();
  model.buffers.push_back(std::make_unique<fb::BufferT>());
  for (const Tensor& from : network.tensors) {
    auto t = std::make_unique<fb::TensorT>();
    t->name = from.name;
    t->type = type_of(from.type);
    t->shape.assign(from.shape.begin(), from.shape.end());
    t->quantization = std::make_unique<fb::QuantizationParametersT>();
    t->quantization->scale = from.quantization.scale;
    t->quantization->zero_point = from.quantization.zero_point;
    t->quantization->quantized_dimension = from.quantization.axis;
    if (from.kind == TensorKind::constant) {
      t->buffer = static_cast<std::uint32_t>(model.buffers.size());
      model.buffers.push_back(std::make_unique<fb::BufferT>());
      model.buffers.back()->data = from.data;
    }
    graph->tensors.push_back(std::move(t));
  }
  for (const Operator& from : network.operators) {
    auto code = std::make_unique<fb::OperatorCodeT>();
    code->deprecated_builtin_code = static_cast<std::int8_t>(code_of(from.kind));
    code->builtin_code = code_of(from.kind);
    auto op = std::make_unique<fb::OperatorT>();
    op->opcode_index = static_cast<std::uint32_t>(model.operator_codes.size());
    model.operator_codes.push_back(std::move(code));
    op->inputs = from.inputs;
    op->outputs = from.outputs;
    op->builtin_options = options_of(from);
    graph->operators.push_back(std::move(op));
  }
  graph->inputs = network.inputs;
  graph->outputs = network.outputs;
  model.subgraphs.push_back(std::move(graph));
  if (damage) damage(model);
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(fb::CreateModel(builder, &model), fb::ModelIdentifier());
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

NetworkPtr every_operator() {
  Diagnostics diags;
  return import_yaml(R"(format: 1
name: every-operator
input: {shape: [1, 6, 6, 2]}
layers:
  - conv: {name: stem, filters: 4, kernel: 3, activation: relu}
  - depthwise: {kernel: [3, 2], dilation: [2, 1], activation: relu6}
  - conv: {filters: 4, kernel: 1, bias: false}
  - add: {with: stem, activation: relu}
  - max_pool: {kernel: 2}
  - average_pool: {kernel: 3, stride: 1, padding: same}
  - reshape: {shape: [1, 36]}
  - fully_connected: {units: 3}
  - softmax
)",
                     "every-operator.yaml", diags);
}

}  // namespace dse::nn::test
