// Brings float networks into the form that the schemes quantise.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "models/nn/circulant/layer.h"
#include "models/nn/made/fill.h"
#include "models/nn/passes/passes.h"
#include "models/nn/quantizer/groups.h"
#include "models/nn/shapes/infer_shapes.h"

namespace dse::nn::quantizer {
namespace {

class Preparation {
 public:
  Preparation(Network n, Scheme scheme) : n_(std::move(n)), scheme_(scheme) {}

  Network run() {
    std::vector<Operator> operators;
    std::swap(operators, n_.operators);
    // Weights by rule are made once, not in every run.
    for (auto& t : n_.tensors) {
      if (t.fill) set_values(t, values_of(t));
    }
    for (auto& op : operators) {
      sum_pair_by_pair(op);
      if (scheme_ == Scheme::q_format) mean_to_global_pool(op);
      if (scheme_ == Scheme::tflite_int8) {
        name_global_pool(op);
        name_padding(op);
      }
      part_fixed_outputs(op);
      n_.operators.push_back(std::move(op));
    }
    return std::move(n_);
  }

 private:
  Tensor& tensor(int t) { return n_.tensors[static_cast<std::size_t>(t)]; }

  /// MEAN over H and W of [N, H, W, C]: with Q formats a pool, which keeps the format. TensorFlow Lite has its MEAN.
  void mean_to_global_pool(Operator& op) {
    if (op.kind != OperatorKind::mean || !op.options.keep_dims || tensor(op.inputs[0]).shape.size() != 4 ||
        op.options.axes != std::vector<std::int64_t>{1, 2})
      return;
    op.kind = OperatorKind::global_average_pool;
    op.type.clear();
    op.options.axes.clear();
    op.options.keep_dims = false;
  }

  /// TensorFlow Lite has no global pools, but MEAN, whose result has a scale of its own, and pools of any window.
  void name_global_pool(Operator& op) {
    const bool average = op.kind == OperatorKind::global_average_pool;
    if ((!average && op.kind != OperatorKind::global_max_pool) || tensor(op.inputs[0]).shape.size() != 4) return;
    op.kind = average ? OperatorKind::mean : OperatorKind::max_pool_2d;
    op.type.clear();
    if (average) {
      op.options.axes = {1, 2}, op.options.keep_dims = true;
      return;
    }
    op.options.filter_h = op.options.stride_h = static_cast<int>(tensor(op.inputs[0]).shape[1]);
    op.options.filter_w = op.options.stride_w = static_cast<int>(tensor(op.inputs[0]).shape[2]);
  }

  /// A sum of many, pair by pair: all but the last addition are put before the operator.
  void sum_pair_by_pair(Operator& op) {
    if (op.kind != OperatorKind::add_n || op.inputs.size() < 2) return;
    while (op.inputs.size() > 2) {
      Operator pair;
      pair.kind = OperatorKind::add, pair.inputs = {op.inputs[0], op.inputs[1]};
      Tensor sum = tensor(op.inputs[0]);
      if (!broadcast_shapes(sum.shape, tensor(op.inputs[1]).shape, sum.shape)) return;
      sum.name = fmt::format("{}/sum_{}", tensor(op.outputs[0]).name, n_.tensors.size());
      sum.kind = TensorKind::activation, sum.data.clear(), sum.fill.reset();
      n_.tensors.push_back(std::move(sum));
      pair.outputs = {static_cast<int>(n_.tensors.size()) - 1};
      op.inputs.erase(op.inputs.begin());
      op.inputs[0] = pair.outputs[0];
      n_.operators.push_back(std::move(pair));
    }
    op.kind = OperatorKind::add;
    op.type.clear();
  }

  /// TensorFlow Lite knows SAME, VALID and padding as an operator of its own: of convolutions, and of maxima of what
  /// cannot be negative.
  void name_padding(Operator& op) {
    OperatorOptions& o = op.options;
    const bool conv = family_of(op.kind) == OperatorFamily::convolution;
    if (!slides(op.kind) || !o.explicit_padding) return;
    const auto &in = tensor(op.inputs[0]).shape, &out = tensor(op.outputs[0]).shape;
    const std::int64_t kernel_h = conv ? tensor(op.inputs[1]).shape[1] : o.filter_h;
    const std::int64_t kernel_w = conv ? tensor(op.inputs[1]).shape[2] : o.filter_w;
    const auto needed = [](std::int64_t many, std::int64_t few, std::int64_t kernel, int stride, int dilation) {
      return (few - 1) * stride + (kernel - 1) * dilation + 1 - many;
    };
    const std::int64_t h = needed(in[1], out[1], kernel_h, o.stride_h, o.dilation_h);
    const std::int64_t w = needed(in[2], out[2], kernel_w, o.stride_w, o.dilation_w);
    const auto plain = [&](bool same) {
      o.explicit_padding = o.ceil_mode = o.count_include_pad = false;
      o.same_padding = same;
      o.pad_top = o.pad_left = o.pad_bottom = o.pad_right = 0;
    };
    if (o.pad_top == 0 && o.pad_left == 0 && h <= 0 && w <= 0) return plain(false);
    const bool same = out[1] == (in[1] + o.stride_h - 1) / o.stride_h &&
                      out[2] == (in[2] + o.stride_w - 1) / o.stride_w &&
                      o.pad_top == std::max<std::int64_t>(h, 0) / 2 && o.pad_left == std::max<std::int64_t>(w, 0) / 2;
    if (same && !o.count_include_pad) return plain(true);
    const bool zeros = conv || (op.kind == OperatorKind::max_pool_2d && not_negative(op.inputs[0])) ||
                       (op.kind == OperatorKind::average_pool_2d && o.count_include_pad && !o.ceil_mode);
    if (!zeros) return;
    Operator pad;
    pad.kind = OperatorKind::pad;
    pad.options.pad_before = {0, o.pad_top, o.pad_left, 0};
    pad.options.pad_after = {0, std::max<std::int64_t>(h - o.pad_top, 0), std::max<std::int64_t>(w - o.pad_left, 0), 0};
    Tensor padded = tensor(op.inputs[0]);
    padded.name += fmt::format("/padded_{}", n_.tensors.size());
    padded.kind = TensorKind::activation;
    for (std::size_t d = 0; d < 4; ++d) padded.shape[d] += pad.options.pad_before[d] + pad.options.pad_after[d];
    pad.inputs = {op.inputs[0]};
    n_.tensors.push_back(std::move(padded));
    pad.outputs = {static_cast<int>(n_.tensors.size()) - 1};
    op.inputs[0] = pad.outputs[0];
    n_.operators.push_back(std::move(pad));
    plain(false);
  }

  bool not_negative(int t) const {
    const Operator* op = producer(t);
    if (!op) return false;
    const bool rectified = op->options.activation == Activation::relu || op->options.activation == Activation::relu6;
    const bool moves = op->kind == OperatorKind::max_pool_2d || op->kind == OperatorKind::concatenation;
    return rectified || op->kind == OperatorKind::relu || op->kind == OperatorKind::relu6 ||
           (moves && std::all_of(op->inputs.begin(), op->inputs.end(), [&](int in) { return not_negative(in); }));
  }

  /// A result of fixed scale that meets others in an operator that wants equal scales: a copy in between, which becomes
  /// a change of scale.
  void part_fixed_outputs(Operator& op) {
    if (!moves_raw_values(op.kind, scheme_) || op.inputs.size() < 2) return;
    for (auto& t : op.inputs) {
      const Operator* made_by = t < 0 ? nullptr : producer(t);
      if (!made_by || !fixed_output(made_by->kind)) continue;
      Tensor copy = tensor(t);
      copy.name += fmt::format("/as_{}", n_.tensors.size());
      copy.kind = TensorKind::activation;
      n_.tensors.push_back(std::move(copy));
      Operator change;
      change.kind = OperatorKind::identity, change.type = change_of_scale;
      change.inputs = {t};
      t = static_cast<int>(n_.tensors.size()) - 1;
      change.outputs = {t};
      n_.operators.push_back(std::move(change));
    }
  }

  /// Among the operators so far.
  const Operator* producer(int t) const {
    for (const auto& op : n_.operators)
      if (std::find(op.outputs.begin(), op.outputs.end(), t) != op.outputs.end()) return &op;
    return nullptr;
  }

  Network n_;
  Scheme scheme_;
};

}  // namespace

NetworkPtr prepare(const Network& floating, const QuantizeOptions& options, const std::string& file,
                   Diagnostics& diags) {
  bool ok = true;
  for (std::size_t o = 0; o < floating.operators.size(); ++o) {
    const Operator& op = floating.operators[o];
    if (op.evaluation == Evaluation::floating) continue;
    diags.error({file, 0, 0},
                fmt::format("operator {} ({}) is not in FLOAT32", o, op.type.empty() ? name_of(op.kind) : op.type),
                "only float networks can be quantised");
    ok = false;
  }
  if (!ok) return nullptr;
  LoadOptions load;
  load.allow_float = true;
  Network plain = floating;
  plain = plain_form(std::move(plain));
  // What stands between now has shapes that the passes derived: checked before they are relied on.
  const auto checked = finish_network(std::move(plain), diags, file, load);
  if (!checked) return nullptr;
  Network made = circulant::in_domain(Preparation(unfinished(*checked), options.scheme).run(), options.spectral, true);
  return finish_network(std::move(made), diags, file, load);
}

}  // namespace dse::nn::quantizer
