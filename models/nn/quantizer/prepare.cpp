// Brings float networks into the form that the schemes quantise.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "models/nn/fill.h"
#include "models/nn/quantizer/groups.h"

namespace dse::nn::quantizer {
namespace {

class Preparation {
 public:
  Preparation(Network n, Scheme scheme) : n_(std::move(n)), scheme_(scheme) {}

  Network run() {
    for (auto& op : n_.operators) {
      if (op.kind == OperatorKind::gemm || op.kind == OperatorKind::batch_matmul) to_fully_connected(op);
      if (op.kind == OperatorKind::mean) to_global_pool(op);
    }
    part_fixed_outputs();
    for (auto& op : n_.operators) op.evaluation = Evaluation::none, op.calls.clear();
    return std::move(n_);
  }

 private:
  Tensor& tensor(int t) { return n_.tensors[static_cast<std::size_t>(t)]; }
  bool constant(const Operator& op, std::size_t i) {
    return op.inputs.size() > i && op.inputs[i] >= 0 && tensor(op.inputs[i]).kind == TensorKind::constant;
  }

  int add_constant(const std::string& name, std::vector<std::int64_t> shape, const std::vector<float>& values) {
    Tensor t;
    t.name = name, t.shape = std::move(shape), t.kind = TensorKind::constant, t.type = DataType::float32;
    t.data.resize(4 * values.size());
    std::memcpy(t.data.data(), values.data(), t.data.size());
    n_.tensors.push_back(std::move(t));
    return static_cast<int>(n_.tensors.size()) - 1;
  }

  /// alpha * A * B' + beta * C with constant B of two dimensions and C per column (or none).
  void to_fully_connected(Operator& op) {
    const bool gemm = op.kind == OperatorKind::gemm;
    if (!constant(op, 1) || op.options.adj_x || tensor(op.inputs[1]).shape.size() != 2) return;
    const auto shape = tensor(op.inputs[1]).shape;
    const std::int64_t units = shape[op.options.adj_y ? 0 : 1], depth = shape[op.options.adj_y ? 1 : 0];
    const bool addend = gemm && op.inputs.size() > 2 && op.inputs[2] >= 0;
    if (addend &&
        (!constant(op, 2) || (tensor(op.inputs[2]).elements() != units && tensor(op.inputs[2]).elements() != 1)))
      return;
    const float alpha = gemm ? op.options.alpha : 1.0f, beta = op.options.beta;
    const auto b = values_of(tensor(op.inputs[1]));
    std::vector<float> weights(b.size());
    for (std::int64_t u = 0; u < units; ++u)
      for (std::int64_t k = 0; k < depth; ++k)
        weights[static_cast<std::size_t>(u * depth + k)] =
            alpha * b[static_cast<std::size_t>(op.options.adj_y ? u * depth + k : k * units + u)];
    const int x = op.inputs[0];
    const std::string name = tensor(op.inputs[1]).name;
    const int w = add_constant(name + "/as_filters", {units, depth}, weights);
    int bias = -1;
    if (addend) {
      const auto c = values_of(tensor(op.inputs[2]));
      std::vector<float> values(static_cast<std::size_t>(units));
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = beta * c[c.size() == 1 ? 0 : i];
      bias = add_constant(tensor(op.inputs[2]).name + "/as_bias", {units}, values);
    }
    op.kind = OperatorKind::fully_connected;
    op.type.clear();
    op.inputs = {x, w, bias};
    op.options.alpha = 0, op.options.beta = 1, op.options.adj_x = op.options.adj_y = false;
  }

  /// MEAN over H and W of [N, H, W, C]: with Q formats a pool, which keeps the format. TensorFlow Lite has its MEAN.
  void to_global_pool(Operator& op) {
    if (scheme_ != Scheme::q_format || op.options.channels_first) return;
    const auto& in = tensor(op.inputs[0]).shape;
    if (in.size() != 4 || op.options.axes != std::vector<std::int64_t>{1, 2} || !op.options.keep_dims) return;
    op.kind = OperatorKind::global_average_pool;
    op.type.clear();
    op.options.axes.clear();
    op.options.keep_dims = false;
  }

  /// An operator of fixed output scale whose result meets others in one that wants equal scales: a copy in between,
  /// which becomes a change of scale.
  void part_fixed_outputs() {
    std::vector<Operator> operators;
    for (auto op : n_.operators) {
      const bool meets = moves_raw_values(op.kind, scheme_) && op.inputs.size() > 1;
      for (auto& t : op.inputs) {
        const int producer = t < 0 || !meets ? -1 : producer_in(operators, t);
        if (producer < 0 || !fixed_output(operators[static_cast<std::size_t>(producer)].kind)) continue;
        Tensor copy = tensor(t);
        copy.name += fmt::format("/as_{}", n_.tensors.size());
        copy.kind = TensorKind::activation;
        n_.tensors.push_back(std::move(copy));
        Operator change;
        change.kind = OperatorKind::identity, change.type = change_of_scale;
        change.inputs = {t};
        t = static_cast<int>(n_.tensors.size()) - 1;
        change.outputs = {t};
        operators.push_back(std::move(change));
      }
      operators.push_back(std::move(op));
    }
    n_.operators = std::move(operators);
  }

  static int producer_in(const std::vector<Operator>& operators, int t) {
    for (std::size_t o = 0; o < operators.size(); ++o)
      if (std::find(operators[o].outputs.begin(), operators[o].outputs.end(), t) != operators[o].outputs.end())
        return static_cast<int>(o);
    return -1;
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
                fmt::format("operator {} ({}): is not in FLOAT32", o, op.type.empty() ? name_of(op.kind) : op.type),
                "only float networks can be quantised");
    ok = false;
  }
  if (!ok) return nullptr;
  LoadOptions load;
  load.allow_float = true;
  return finish_network(Preparation(floating, options.scheme).run(), diags, file, load);
}

}  // namespace dse::nn::quantizer
