// to_channels_last: every tensor exists as it is in the file ("first"), as [N, H, W, C] ("last"), or as both.
#include "models/nn/passes/channels_last.h"

#include <algorithm>

#include "models/nn/passes/channels_last_versions.h"
#include "models/nn/passes/passes.h"
#include "models/nn/passes/rewrite.h"

namespace dse::nn {
namespace {

using layout::to_first;
using layout::to_last;
using Shape = std::vector<std::int64_t>;

class ChannelsLast : private layout::Versions {
 public:
  using Versions::Versions;

  Network run() {
    for (const int t : n_.inputs)
      if (rank(t) == 4 && !only_transposed(t)) make_last(t);
    std::vector<Operator> operators = std::move(n_.operators);
    for (auto& op : operators) convert(std::move(op));
    n_.operators = std::move(done_);
    for (int& t : n_.outputs) t = last(t) >= 0 ? last(t) : first(t);
    remove_dead(n_, {});
    return std::move(n_);
  }

 private:
  /// A network input that the file itself transposes first, as it is or in integers, is [N, H, W, C] already.
  bool only_transposed(int t, bool converted = false) const {
    const auto& readers = uses_.readers[static_cast<std::size_t>(t)];
    return !readers.empty() && std::all_of(readers.begin(), readers.end(), [&](int o) {
      const Operator& op = n_.operators[static_cast<std::size_t>(o)];
      const bool converts = !converted && op.kind == OperatorKind::quantize && op.outputs.size() == 1;
      return op.kind == OperatorKind::transpose || (converts && only_transposed(op.outputs[0], true));
    });
  }

  bool has_last(const Operator& op) {
    return std::any_of(op.inputs.begin(), op.inputs.end(),
                       [&](int t) { return t >= 0 && at(n_, t).kind != TensorKind::constant && last(t) >= 0; });
  }

  void emit(Operator op) { done_.push_back(std::move(op)); }

  /// The operator as it is in the file.
  void plain(Operator op) {
    for (int& t : op.inputs) t = as_first(t);
    for (const int t : op.outputs) first(t) = t;
    emit(std::move(op));
  }

  /// Every output is [N, H, W, C].
  void emit_last(Operator op) {
    for (const int t : op.outputs) make_last(t);
    emit(std::move(op));
  }

  static int mapped(int axis) {
    return static_cast<int>(std::find(to_last.begin(), to_last.end(), axis) - to_last.begin());
  }

  void image_operator(Operator op) {
    if (rank(op.inputs[0]) != 4) {
      // [N, C]: the channels are the last dimension either way.
      if (op.kind == OperatorKind::batch_normalization && rank(op.inputs[0]) == 2) op.options.channels_first = false;
      return plain(std::move(op));
    }
    const std::int64_t channels = logical(op.inputs[0])[1];
    const bool weighted = has_filters(op.kind) && op.kind != OperatorKind::fully_connected;
    if (weighted && at(n_, op.inputs[1]).kind != TensorKind::constant) return plain(std::move(op));
    op.inputs[0] = as_last(op.inputs[0]);
    if (weighted) {
      layout::convolution_to_last(n_, op, channels);
      grow();
    }
    op.options.channels_first = false;
    emit_last(std::move(op));
  }

  void elementwise(Operator op) {
    const bool four = rank(op.outputs[0]) == 4;
    if (!has_last(op) || !four) return plain(std::move(op));
    for (int& t : op.inputs)
      if (t >= 0) t = broadcast_as_last(t);
    emit_last(std::move(op));
  }

  /// Concatenation, split, softmax and the like: everything has four dimensions and one axis is named.
  void along_axis(Operator op) {
    const bool four = std::all_of(op.inputs.begin(), op.inputs.end(), [&](int t) { return rank(t) == 4; }) &&
                      std::all_of(op.outputs.begin(), op.outputs.end(), [&](int t) { return rank(t) == 4; });
    if (!has_last(op) || !four) return plain(std::move(op));
    for (int& t : op.inputs) t = as_last(t);
    op.options.axis = mapped(op.options.axis);
    emit_last(std::move(op));
  }

  void reduction(Operator op) {
    const bool single = family_of(op.kind) == OperatorFamily::arg_extreme;
    Shape axes = single ? Shape{op.options.axis} : op.options.axes;
    if (!has_last(op)) return plain(std::move(op));
    if (!op.options.keep_dims) {
      // What is left must be in the file's order.
      Shape left = logical(op.inputs[0]);
      for (const auto a : axes) left[static_cast<std::size_t>(a)] = 1;
      if (!keeps_order(left, to_last)) return plain(std::move(op));
    }
    op.inputs[0] = as_last(op.inputs[0]);
    for (auto& a : axes) a = mapped(static_cast<int>(a));
    std::sort(axes.begin(), axes.end());
    if (single)
      op.options.axis = static_cast<int>(axes[0]);
    else
      op.options.axes = axes;
    if (op.options.keep_dims) return emit_last(std::move(op));
    for (const int t : op.outputs) first(t) = t;
    emit(std::move(op));
  }

  void per_dimension(Operator op) {
    if (!has_last(op) || rank(op.outputs[0]) != 4) return plain(std::move(op));
    op.inputs[0] = as_last(op.inputs[0]);
    for (auto* list :
         {&op.options.begin, &op.options.end, &op.options.strides, &op.options.pad_before, &op.options.pad_after})
      if (list->size() == 4) *list = permuted_shape(*list, to_last);
    emit_last(std::move(op));
  }

  void transpose(Operator op) {
    const int in = op.inputs[0], out = op.outputs[0];
    if (!has_last(op)) return plain(std::move(op));
    // `first` of the result, from what is there.
    Shape p;
    for (const auto axis : op.options.permutation) p.push_back(mapped(static_cast<int>(axis)));
    const bool nothing = std::is_sorted(p.begin(), p.end());
    if (nothing && !uses_.is_output[static_cast<std::size_t>(out)]) {
      first(out) = last(in);
      return;
    }
    op.inputs[0] = last(in);
    op.options.permutation = p;
    if (nothing) op.kind = OperatorKind::identity;
    first(out) = out;
    emit(std::move(op));
  }

  void reshape(Operator op) {
    const int in = op.inputs[0];
    if (!has_last(op)) return plain(std::move(op));
    if (!keeps_order(logical(in), to_last)) {
      op.kind = OperatorKind::reshape;
      return plain(std::move(op));
    }
    op.inputs[0] = last(in);
    op.kind = OperatorKind::reshape;
    op.options.axes.clear();
    first(op.outputs[0]) = op.outputs[0];
    emit(std::move(op));
  }

  void convert(Operator op) {
    using K = OperatorKind;
    using F = OperatorFamily;
    rounding_ = op.options.rounding;
    if (!op.unsupported.empty()) return plain(std::move(op));
    if (op.options.channels_first) return image_operator(std::move(op));
    switch (family_of(op.kind)) {
      case F::concatenation:
      case F::split:
        return op.kind == K::pack || op.kind == K::unpack ? plain(std::move(op)) : along_axis(std::move(op));
      case F::softmax:
      case F::log_softmax:
        return along_axis(std::move(op));
      case F::reduction:
      case F::arg_extreme:
        return reduction(std::move(op));
      case F::pad:
      case F::slice:
        return per_dimension(std::move(op));
      case F::transpose:
        return transpose(std::move(op));
      case F::copy:
        if (op.kind == K::identity || op.kind == K::dropout) return elementwise(std::move(op));
        if (op.kind == K::read_variable || op.kind == K::assign_variable) return plain(std::move(op));
        return reshape(std::move(op));
      case F::unary:
      case F::binary:
      case F::add_n:
      case F::quantize:
        return elementwise(std::move(op));
      default:
        return plain(std::move(op));
    }
  }
};

}  // namespace

Network to_channels_last(Network n, bool matrices) {
  n = unfinished(std::move(n));
  const bool images =
      std::any_of(n.operators.begin(), n.operators.end(), [](const Operator& op) { return op.options.channels_first; });
  if (images) n = ChannelsLast(std::move(n)).run();
  if (!matrices) return n;
  for (auto& op : n.operators) layout::matrix_to_fully_connected(n, op);
  return layout::fold_transposes_into_weights(std::move(n));
}

}  // namespace dse::nn
