#include "models/nn/passes/dynamic_rescaling.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/nn/graph/sums/factors.h"
#include "models/nn/kernels/dse_factors.h"
#include "models/nn/passes/passes.h"
#include "models/nn/passes/rewrite.h"

namespace dse::nn {
namespace {

class Rescaling {
 public:
  Rescaling(Network n, const OutputBatches& batches) : n_(unfinished(std::move(n))), uses_(n_), batches_(batches) {}

  Network run() {
    factors_.assign(n_.tensors.size(), -1);
    std::vector<Operator> all;
    std::swap(all, n_.operators);
    // What reads a tensor comes behind what makes it, so that all is known of readers by going backwards.
    takes_.assign(n_.tensors.size(), false);
    for (std::size_t o = all.size(); o-- > 0;)
      for (const int t : all[o].outputs) takes_[static_cast<std::size_t>(t)] = all_take(all, t);
    for (auto& op : all) add(std::move(op));
    return std::move(n_);
  }

 private:
  bool is_product(const Operator& op) const {
    return has_filters(op.kind) && op.options.rounding == Rounding::qformat &&
           op.options.correction == Correction::correct_then_round && at(n_, op.inputs[1]).kind == TensorKind::constant;
  }

  /// Whether everything that reads the tensor takes factors, or hands them to what does.
  bool all_take(const std::vector<Operator>& all, int tensor) const {
    const auto t = static_cast<std::size_t>(tensor);
    if (uses_.is_output[t] || uses_.readers[t].empty()) return false;
    return std::all_of(uses_.readers[t].begin(), uses_.readers[t].end(), [&](int reader) {
      const Operator& op = all[static_cast<std::size_t>(reader)];
      if (is_product(op)) return op.inputs[0] == tensor && may_compensate(op);
      return carries_factors(n_, op) && takes_[static_cast<std::size_t>(op.outputs[0])];
    });
  }

  bool one_image(const Operator& op) const {
    const auto& shape = at(n_, op.inputs[0]).shape;
    return op.kind == OperatorKind::fully_connected || (shape.size() == 4 && shape[0] == 1);
  }

  bool may_compensate(const Operator& op) const {
    return one_image(op) && shift_fits(op, DSE_FACTOR_DIGITS) &&
           sums_hold(at(n_, op.inputs[0]).type, at(n_, op.inputs[1]).type, products_of(n_, op));
  }

  /// The shift of the store, which factors move, stays within what kernels know.
  bool shift_fits(const Operator& op, int more) const {
    const auto scale = [&](int t) { return static_cast<double>(at(n_, t).quantization.scale.at(0)); };
    const auto t = std::lround(std::log2(scale(op.outputs[0]) / (scale(op.inputs[0]) * scale(op.inputs[1])))) + more;
    return t + DSE_FACTOR_LEAST >= -31 && t + DSE_FACTOR_MOST <= 46;
  }

  int add_factors(int of, std::int64_t entries) {
    Tensor like;
    like.name = at(n_, of).name, like.shape = {entries}, like.type = DataType::int32;
    return add_tensor(n_, like, "/factors");
  }

  void append(Operator op) {
    factors_.resize(n_.tensors.size(), -1);
    follow_factors(n_, op, factors_);
    n_.operators.push_back(std::move(op));
  }

  /// The mantissas with one factor, in a tensor of their own.
  int normalized(int tensor) {
    const int factors = factors_[static_cast<std::size_t>(tensor)];
    if (at(n_, factors).elements() == 1) return tensor;
    Operator op;
    op.kind = OperatorKind::normalize;
    op.inputs = {tensor, factors};
    op.options.rounding = Rounding::qformat;
    const Tensor like = at(n_, tensor);
    const int made = add_tensor(n_, like, "/normalized");
    op.outputs = {made, add_factors(made, 1)};
    append(std::move(op));
    return made;
  }

  void add(Operator op) {
    const int in = op.inputs.empty() ? -1 : op.inputs[0];
    const int factors = in < 0 ? -1 : factors_[static_cast<std::size_t>(in)];
    if (factors >= 0 && is_product(op)) {
      op.inputs.resize(3, -1);
      op.inputs.push_back(factors);
    } else if (factors >= 0 && !is_view(op.kind)) {
      op.inputs[0] = normalized(in);
    }
    if (is_product(op) && takes_[static_cast<std::size_t>(op.outputs[0])] && one_image(op) &&
        shift_fits(op, compensates(op) ? DSE_FACTOR_DIGITS : 0)) {
      const Tensor& y = at(n_, op.outputs[0]);
      op.options.output_batches = batches_.of(y);
      op.outputs.push_back(add_factors(op.outputs[0], batch_count(y.elements(), op.options.output_batches)));
    }
    append(std::move(op));
  }

  Network n_;
  Uses uses_;
  OutputBatches batches_;
  std::vector<bool> takes_;   // by tensor of the given network: all that read it take factors
  std::vector<int> factors_;  // by tensor
};

}  // namespace

std::int64_t OutputBatches::of(const Tensor& output) const {
  const auto image = output.image();
  const std::int64_t m = by == By::rows ? image.h : by == By::channels ? image.c : number;
  return std::clamp<std::int64_t>(m, 1, output.elements());
}

Network rescaled_dynamically(Network n, const OutputBatches& batches) { return Rescaling(std::move(n), batches).run(); }

}  // namespace dse::nn
