// Weights for [N, H, W, C].
#include <algorithm>
#include <cstring>

#include "models/nn/made/fill.h"
#include "models/nn/passes/channels_last.h"
#include "models/nn/passes/channels_last_versions.h"
#include "models/nn/passes/passes.h"
#include "models/nn/passes/rewrite.h"

namespace dse::nn::layout {
namespace {

using Shape = std::vector<std::int64_t>;

/// [in, out of the group, kh, kw] to [out, kh, kw, in of the group].
Tensor transposed_weights(const Tensor& w, std::int64_t groups) {
  Tensor five = w;
  const std::int64_t per_group = w.shape[1], in = w.shape[0] / groups;
  five.shape = {groups, in, per_group, w.shape[2], w.shape[3]};
  const auto quantization = w.quantization;
  five.quantization = {};
  Tensor out = permuted(five, {0, 2, 3, 4, 1});
  out.shape = {groups * per_group, w.shape[2], w.shape[3], in};
  out.quantization = quantization;
  if (quantization.scale.size() > 1) {
    // One scale per output channel of a group: the same in every group.
    out.quantization.axis = 0;
    for (std::int64_t g = 1; g < groups; ++g) {
      out.quantization.scale.insert(out.quantization.scale.end(), quantization.scale.begin(), quantization.scale.end());
      out.quantization.zero_point.insert(out.quantization.zero_point.end(), quantization.zero_point.begin(),
                                         quantization.zero_point.end());
    }
  }
  return out;
}

/// All of a float32 constant times `factor`.
Tensor scaled(const Tensor& t, float factor) {
  Tensor out = t;
  if (t.fill && t.fill->kind == Fill::Kind::value) {
    out.fill->value = static_cast<double>(static_cast<float>(t.fill->value) * factor);
    return out;
  }
  auto values = values_of(t);
  for (float& v : values) v *= factor;
  set_values(out, values);
  return out;
}

}  // namespace

void convolution_to_last(Network& n, Operator& op, std::int64_t in_channels) {
  const Tensor w = at(n, op.inputs[1]);
  OperatorOptions& o = op.options;
  if (op.kind == OperatorKind::transpose_conv) {
    op.inputs[1] = add_tensor(n, transposed_weights(w, o.groups), "_ohwi");
    return;
  }
  const bool depthwise = op.kind == OperatorKind::depthwise_conv_2d || (o.groups > 1 && o.groups == in_channels);
  if (!depthwise) {
    op.inputs[1] = add_tensor(n, permuted(w, {0, 2, 3, 1}), "_ohwi");
    return;
  }
  op.kind = OperatorKind::depthwise_conv_2d;
  o.groups = 1;
  o.depth_multiplier = static_cast<int>(w.shape[0] / in_channels);
  op.inputs[1] = add_tensor(n, permuted(w, {1, 2, 3, 0}), "_1hwo");
}

bool matrix_to_fully_connected(Network& n, Operator& op) {
  const bool gemm = op.kind == OperatorKind::gemm;
  if (!op.unsupported.empty() || (!gemm && op.kind != OperatorKind::batch_matmul) || op.options.adj_x) return false;
  const Tensor b = at(n, op.inputs[1]);
  if (b.kind != TensorKind::constant || b.shape.size() != 2 || at(n, op.inputs[0]).kind == TensorKind::constant)
    return false;
  OperatorOptions& o = op.options;
  const std::int64_t columns = o.adj_y ? b.shape[0] : b.shape[1];
  const bool real = b.type == DataType::float32;
  const float alpha = gemm ? o.alpha : 1.0f, beta = gemm ? o.beta : 1.0f;
  if (!real && (alpha != 1.0f || beta != 1.0f)) return false;
  int bias = -1;
  if (gemm && op.inputs.size() > 2 && op.inputs[2] >= 0 && beta != 0.0f) {
    const Tensor c = at(n, op.inputs[2]);
    const bool row = c.elements() == columns && !c.shape.empty() && c.shape.back() == columns;
    if (c.kind != TensorKind::constant || (!row && !(real && c.elements() == 1))) return false;
    if (row) {
      Tensor flat = beta == 1.0f ? c : scaled(c, beta);
      flat.shape = {columns};
      bias = c.shape.size() == 1 && beta == 1.0f ? op.inputs[2] : add_tensor(n, flat, "_bias");
    } else {
      const float value = values_of(c)[0] * beta;
      bias = add_constant(n, c.name + "_bias", {columns}, std::vector<float>(static_cast<std::size_t>(columns), value));
    }
  }
  if (!o.adj_y || alpha != 1.0f) {
    const Tensor weights = o.adj_y ? b : permuted(b, {1, 0});
    op.inputs[1] = add_tensor(n, alpha == 1.0f ? weights : scaled(weights, alpha), "_oi");
  }
  op.kind = OperatorKind::fully_connected;
  op.inputs.resize(3);
  op.inputs[2] = bias;
  o.alpha = 0, o.beta = 1.0f;
  o.adj_y = false;
  return true;
}

namespace {

bool is_passed_through(OperatorKind k) {
  using K = OperatorKind;
  return k == K::reshape || k == K::dropout || k == K::identity || k == K::relu || k == K::relu6 || k == K::clip ||
         family_of(k) == OperatorFamily::quantize;
}

}  // namespace

Network fold_transposes_into_weights(Network n) {
  const Uses uses(n);
  std::vector<bool> dead(n.operators.size());
  for (std::size_t o = 0; o < n.operators.size(); ++o) {
    const Operator& op = n.operators[o];
    if (op.kind != OperatorKind::transpose || op.options.permutation != to_first || !op.unsupported.empty()) continue;
    const Shape image = at(n, op.inputs[0]).shape;  // [N, H, W, C]
    const std::int64_t row = image[1] * image[2] * image[3];
    // From the transposition to the matrix product nothing may look at the order of a row.
    int t = op.outputs[0], next = uses.only_reader(t);
    std::vector<int> passed;
    while (next >= 0 && is_passed_through(n.operators[static_cast<std::size_t>(next)].kind) &&
           n.operators[static_cast<std::size_t>(next)].inputs.size() == 1) {
      passed.push_back(t);
      t = n.operators[static_cast<std::size_t>(next)].outputs[0];
      next = uses.only_reader(t);
    }
    if (next < 0) continue;
    Operator& product = n.operators[static_cast<std::size_t>(next)];
    if (product.kind != OperatorKind::fully_connected || product.inputs[0] != t) continue;
    const Tensor w = at(n, product.inputs[1]);
    if (w.kind != TensorKind::constant || w.shape.size() != 2 || w.shape[1] != row) continue;
    const bool shared = uses.readers[static_cast<std::size_t>(product.inputs[1])].size() > 1;
    Tensor four = w;
    four.shape = {w.shape[0], image[3], image[1], image[2]};
    Tensor turned = permuted(four, to_last);
    turned.shape = w.shape;
    turned.quantization = w.quantization;
    if (shared)
      product.inputs[1] = add_tensor(n, turned, "_nhwc");
    else
      at(n, product.inputs[1]) = std::move(turned);
    // The tensors in between that still have the image's shape lie in its order.
    for (const int p : passed)
      if (at(n, p).shape == Shape{image[0], image[3], image[1], image[2]}) at(n, p).shape = image;
    dead[o] = true;
    const int out = op.outputs[0], in = op.inputs[0];
    replace_reads(n, out, in);
  }
  remove_dead(n, dead);
  return n;
}

}  // namespace dse::nn::layout
