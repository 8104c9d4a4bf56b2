// Operators in float32, which have no kernel: what finish_network checks and counts.
#include <fmt/format.h>

#include "models/nn/circulant/layer.h"
#include "models/nn/derive/derive.h"
#include "models/nn/shapes/infer_shapes.h"

namespace dse::nn {
namespace {

bool check_float_types(Derivation& d) {
  for (const int t : d.op.inputs)
    if (t >= 0 && d.tensor(t).type != DataType::float32)
      return d.fail(
          fmt::format("input '{}' has type {}, others are FLOAT32", d.tensor(t).name, name_of(d.tensor(t).type)));
  for (const int t : d.op.outputs) {
    const DataType type = d.tensor(t).type;
    const bool index = type == DataType::int32 || type == DataType::int64;
    if (family_of(d.op.kind) == OperatorFamily::arg_extreme ? !index : type != DataType::float32)
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
  const OperatorFamily family = family_of(d.op.kind);
  if (family == OperatorFamily::lstm || family == OperatorFamily::other)
    return d.fail("this operator is not evaluated in FLOAT32");
  if (family == OperatorFamily::svdf) return check_svdf(d);
  if (d.op.kind == OperatorKind::pad && d.has_input(1) && d.input(1).elements() != 1)
    return d.fail(fmt::format("padding value '{}' has shape {}", d.input(1).name, text_of(d.input(1).shape)));
  return true;
}

std::int64_t macs_of(const Derivation& d) {
  if (is_circulant(d.op.kind)) {  // those of the dense matrix
    const auto s = circulant::blocks_of(d.network, d.op);
    return d.output().elements() * s.taps * s.in;
  }
  const OperatorFamily family = family_of(d.op.kind);
  if (family == OperatorFamily::svdf) return d.input().shape[0] * (d.input(1).elements() + d.input(2).elements());
  if (!is_product(d.op.kind)) return 0;
  const OperatorOptions& o = d.op.options;
  const auto &x = d.input().shape, &w = d.input(1).shape;
  const std::int64_t made = d.output().elements(), weights = d.input(1).elements();
  if (d.op.kind == OperatorKind::depthwise_conv_2d) return made * (o.channels_first ? w[2] * w[3] : w[1] * w[2]);
  if (family == OperatorFamily::transpose_conv) return d.input().elements() * (weights / x[o.channels_first ? 1 : 3]);
  if (family == OperatorFamily::batch_matmul) return made * (o.adj_x ? x[x.size() - 2] : x.back());
  return made * (weights / (family == OperatorFamily::gemm && !o.adj_y ? w[1] : w[0]));  // [O, ...] in either layout
}

}  // namespace

bool derive_float(Derivation& d) {
  if (!check_float_types(d) || !check_shapes(d) || !check_kind(d)) return false;
  d.op.macs = macs_of(d);
  return true;
}

}  // namespace dse::nn
