// Operators in float32, which have no kernel: what finish_network checks and counts.
#include <fmt/format.h>

#include "models/nn/derive/derive.h"
#include "models/nn/shapes/infer_shapes.h"

namespace dse::nn {
namespace {

bool has_index_output(OperatorKind k) { return k == OperatorKind::arg_max || k == OperatorKind::arg_min; }

bool check_float_types(Derivation& d) {
  for (const int t : d.op.inputs)
    if (t >= 0 && d.tensor(t).type != DataType::float32)
      return d.fail(
          fmt::format("input '{}' has type {}, others are FLOAT32", d.tensor(t).name, name_of(d.tensor(t).type)));
  for (const int t : d.op.outputs) {
    const DataType type = d.tensor(t).type;
    const bool index = type == DataType::int32 || type == DataType::int64;
    if (has_index_output(d.op.kind) ? !index : type != DataType::float32)
      return d.fail(fmt::format("output '{}' has type {}", d.tensor(t).name, name_of(type)));
  }
  return true;
}

bool check_shapes(Derivation& d) {
  std::vector<std::vector<std::int64_t>> made;
  std::string why;
  if (!infer_shapes(d.network, d.op, made, why)) return d.fail(why);
  if (made.size() != d.op.outputs.size())
    return d.fail(fmt::format("{} outputs, but the operator makes {}", d.op.outputs.size(), made.size()));
  for (std::size_t i = 0; i < made.size(); ++i)
    if (d.output(i).shape != made[i])
      return d.fail(fmt::format("output '{}' has shape {}, but the operator makes {}", d.output(i).name,
                                text_of(d.output(i).shape), text_of(made[i])));
  return true;
}

bool check_svdf(Derivation& d) {
  const Tensor& state = d.input(4);
  const std::int64_t filters = d.input(1).shape[0], memory = d.input(2).shape[1];
  if (state.kind != TensorKind::variable) return d.fail(fmt::format("state '{}' is not a variable", state.name));
  if (state.elements() != d.input().shape[0] * filters * memory)
    return d.fail(fmt::format("state '{}' has shape {}", state.name, text_of(state.shape)));
  if (d.has_input(3) && d.input(3).elements() != filters / d.op.options.rank)
    return d.fail(fmt::format("bias '{}' has shape {}", d.input(3).name, text_of(d.input(3).shape)));
  return true;
}

bool check_kind(Derivation& d) {
  switch (d.op.kind) {
    case OperatorKind::unidirectional_sequence_lstm:
    case OperatorKind::other:
      return d.fail("this operator is not evaluated in FLOAT32");
    case OperatorKind::svdf:
      return check_svdf(d);
    case OperatorKind::pad:
      if (d.has_input(1) && d.input(1).elements() != 1)
        return d.fail(fmt::format("padding value '{}' has shape {}", d.input(1).name, text_of(d.input(1).shape)));
      return true;
    default:
      return true;
  }
}

std::int64_t macs_of(const Derivation& d) {
  const OperatorOptions& o = d.op.options;
  switch (d.op.kind) {
    case OperatorKind::conv_2d:  // weights: [O, ...] in either layout
    case OperatorKind::gemm:
    case OperatorKind::fully_connected: {
      const auto& w = d.input(1).shape;
      const std::int64_t channels = d.op.kind == OperatorKind::gemm && !o.adj_y ? w[1] : w[0];
      return d.output().elements() * (d.input(1).elements() / channels);
    }
    case OperatorKind::depthwise_conv_2d: {
      const auto& w = d.input(1).shape;
      return d.output().elements() * (o.channels_first ? w[2] * w[3] : w[1] * w[2]);
    }
    case OperatorKind::transpose_conv: {
      const std::int64_t in_c = d.input().shape[o.channels_first ? 1 : 3];
      return d.input().elements() * (d.input(1).elements() / in_c);
    }
    case OperatorKind::batch_matmul: {
      const auto& a = d.input().shape;
      return d.output().elements() * (o.adj_x ? a[a.size() - 2] : a.back());
    }
    case OperatorKind::svdf:
      return d.input().shape[0] * (d.input(1).elements() + d.input(2).elements());
    default:
      return 0;
  }
}

}  // namespace

bool derive_float(Derivation& d) {
  if (!check_float_types(d) || !check_shapes(d) || !check_kind(d)) return false;
  d.op.macs = macs_of(d);
  return true;
}

}  // namespace dse::nn
