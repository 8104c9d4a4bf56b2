#include "reports/network/network_words.h"

#include <fmt/format.h>

#include "base/suggest.h"

namespace dse::reports {

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

std::string short_type(nn::DataType t) {
  switch (t) {
    case nn::DataType::int8:
      return "i8";
    case nn::DataType::uint8:
      return "u8";
    case nn::DataType::int16:
      return "i16";
    case nn::DataType::int32:
      return "i32";
    case nn::DataType::int64:
      return "i64";
    case nn::DataType::float32:
      return "f32";
    case nn::DataType::boolean:
      return "bool";
  }
  return "?";
}

std::string data_types(const nn::Network& n, const nn::LayerSummary& layer) {
  const auto type = [&](int t) { return short_type(n.tensors[static_cast<std::size_t>(t)].type); };
  const std::string out = layer.outputs.empty() ? "" : type(layer.outputs[0]);
  const std::string in = layer.inputs.empty() ? out : type(layer.inputs[0]);
  std::string text = in;
  // The first constant of one or two bytes or float is what the activations are multiplied with; wider ones are biases.
  for (const int t : layer.constants) {
    const auto w = n.tensors[static_cast<std::size_t>(t)].type;
    if (w == nn::DataType::int32 || w == nn::DataType::int64 || w == nn::DataType::boolean) continue;
    if (short_type(w) != in) text += "*" + short_type(w);
    break;
  }
  if (!out.empty() && out != in) text += ">" + out;
  return text;
}

std::string printable(const std::string& text) {
  auto quoted = quote(text);
  return quoted.substr(1, quoted.size() - 2);
}

std::string tensor_text(const nn::Network& n, int tensor) {
  const auto& name = n.tensors[static_cast<std::size_t>(tensor)].name;
  return name.empty() ? fmt::format("tensor {}", tensor) : quote(name);
}

std::string intensity_text(double v) {
  if (!(v > 0)) return "-";
  if (v >= 9.995) return fmt::format("{:.1f}", v);
  return v < 0.001 ? "<0.001" : v < 0.9995 ? fmt::format("{:.3f}", v) : fmt::format("{:.2f}", v);
}

std::string scale_text(const nn::TensorQuantization& q) {
  if (q.scale_min == q.scale_max) return fmt::format("{:.6g}", q.scale_min);
  return fmt::format("{:.6g}..{:.6g}", q.scale_min, q.scale_max);
}

std::string zero_text(const nn::TensorQuantization& q) {
  return q.zero_min == q.zero_max ? fmt::format("{}", q.zero_min) : fmt::format("{}..{}", q.zero_min, q.zero_max);
}

std::string quantization_text(const nn::Tensor& t) {
  const auto q = nn::quantization_of(t);
  if (!q) return "";
  if (!q->per_channel()) return fmt::format("scale {}, zero point {}", scale_text(*q), zero_text(*q));
  return fmt::format("{} scales {} along axis {}, zero point {}", q->scales, scale_text(*q), q->axis, zero_text(*q));
}

std::string format_text(const nn::Network& n, int index) {
  const auto& op = n.operators[static_cast<std::size_t>(index)];
  std::vector<std::string> in, out, weights;
  const auto note = [&](int t, std::vector<std::string>& list) {
    const auto text = nn::format_text(op, n.tensors[static_cast<std::size_t>(t)]);
    if (!text.empty() && (list.empty() || list.back() != text)) list.push_back(text);
  };
  for (const int t : op.inputs)
    if (t >= 0) note(t, n.tensors[static_cast<std::size_t>(t)].kind == nn::TensorKind::constant ? weights : in);
  for (const int t : op.outputs) note(t, out);
  if (in.empty() && out.empty() && weights.empty()) return "";
  std::string text = fmt::format("{} -> {}", fmt::join(in, ", "), fmt::join(out, ", "));
  if (!weights.empty()) text += fmt::format(", weights {}", fmt::join(weights, ", "));
  return text;
}

std::string ranges_text(const std::vector<int>& indices) {
  std::string text;
  for (std::size_t i = 0; i < indices.size();) {
    std::size_t last = i;
    while (last + 1 < indices.size() && indices[last + 1] == indices[last] + 1) ++last;
    if (!text.empty()) text += ", ";
    text += last == i ? fmt::format("{}", indices[i]) : fmt::format("{}-{}", indices[i], indices[last]);
    i = last + 1;
  }
  return text;
}

const char* group_of(nn::OperatorKind k) {
  using enum nn::OperatorKind;
  switch (k) {
    case conv_2d:
    case depthwise_conv_2d:
    case fully_connected:
    case transpose_conv:
    case batch_matmul:
    case gemm:
      return "weighted";
    case svdf:
    case unidirectional_sequence_lstm:
      return "recurrent";
    case average_pool_2d:
    case max_pool_2d:
    case global_average_pool:
    case global_max_pool:
    case mean:
    case sum:
    case reduce_max:
    case reduce_min:
    case arg_max:
    case arg_min:
      return "pooling";
    case add:
    case add_n:
    case sub:
    case mul:
    case div:
    case maximum:
    case minimum:
    case squared_difference:
    case batch_normalization:
    case abs:
    case neg:
      return "arithmetic";
    case relu:
    case relu6:
    case relu_n1_to_1:
    case leaky_relu:
    case prelu:
    case elu:
    case hard_swish:
    case hard_sigmoid:
    case logistic:
    case tanh:
    case softmax:
    case log_softmax:
    case clip:
    case lrn:
    case l2_normalization:
      return "activation";
    case quantize:
    case dequantize:
      return "conversion";
    case other:
      return "other";
    default:
      return "movement";
  }
}

}  // namespace dse::reports
