#include "models/nn/passes/channels_last_versions.h"

#include <algorithm>

namespace dse::nn::layout {

Versions::Versions(Network n) : n_(std::move(n)), uses_(n_) {
  first_.resize(n_.tensors.size(), -1);
  last_.resize(n_.tensors.size(), -1);
  logical_.reserve(n_.tensors.size());
  for (std::size_t t = 0; t < n_.tensors.size(); ++t) {
    logical_.push_back(n_.tensors[t].shape);
    if (n_.tensors[t].kind != TensorKind::activation) first_[t] = static_cast<int>(t);
  }
}

void Versions::make_last(int t) {
  at(n_, t).shape = permuted_shape(logical(t), to_last);
  first(t) = -1;
  last(t) = t;
}

Versions::Shape Versions::permuted_shape(const Shape& s, const Shape& permutation) {
  Shape out;
  for (const auto d : permutation) out.push_back(s[static_cast<std::size_t>(d)]);
  return out;
}

int Versions::like(int t, const std::string& suffix, Shape shape) {
  const Tensor model = [&] {
    Tensor m;
    m.name = at(n_, t).name;
    m.type = at(n_, t).type;
    m.quantization = at(n_, t).quantization;
    return m;
  }();
  const int made = add_tensor(n_, model, suffix);
  at(n_, made).shape = std::move(shape);
  return made;
}

int Versions::move(int from, const Shape& permutation, const std::string& suffix) {
  const Shape shape = at(n_, from).shape;
  Operator op;
  op.type = "Transpose";
  // A permutation of a permutation is one; two that cancel are none.
  int source = from;
  Shape all = permutation;
  for (const auto& before : done_) {
    if (before.outputs.empty() || before.outputs[0] != from) continue;
    if (before.kind != OperatorKind::transpose) break;
    source = before.inputs[0];
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = before.options.permutation[static_cast<std::size_t>(permutation[i])];
    break;
  }
  if (std::is_sorted(all.begin(), all.end())) return source;
  const int to = like(from, suffix, permuted_shape(shape, permutation));
  op.inputs = {source};
  op.outputs = {to};
  if (keeps_order(at(n_, source).shape, all)) {
    op.kind = OperatorKind::reshape;
    op.type = "Reshape";
  } else {
    op.kind = OperatorKind::transpose;
    op.options.permutation = all;
  }
  op.options.rounding = rounding_;
  done_.push_back(std::move(op));
  return to;
}

int Versions::as_first(int t) {
  if (t < 0) return t;
  if (first(t) < 0) {
    const int made = move(last(t), to_first, "_nchw");
    first(t) = made;
  }
  return first(t);
}

int Versions::as_last(int t) {
  if (last(t) < 0) {
    int made = -1;
    if (at(n_, t).kind == TensorKind::constant) {
      const Tensor constant = permuted(at(n_, t), to_last);
      made = add_tensor(n_, constant, "_nhwc");
    } else {
      made = move(as_first(t), to_last, "_nhwc");
    }
    last(t) = made;
  }
  return last(t);
}

int Versions::broadcast_as_last(int t) {
  const Shape shape = logical(t);
  if (shape.size() == 4) return as_last(t);
  if (std::all_of(shape.begin(), shape.end(), [](auto d) { return d == 1; })) return as_first(t);
  Shape four(4 - shape.size(), 1);
  four.insert(four.end(), shape.begin(), shape.end());
  if (at(n_, t).kind == TensorKind::constant) {
    Tensor constant = at(n_, t);
    constant.shape = four;
    const Tensor turned = permuted(constant, to_last);
    return add_tensor(n_, turned, "_nhwc");
  }
  const int source = as_first(t);
  const int reshaped = like(t, "_4d", four);
  Operator op;
  op.kind = OperatorKind::reshape;
  op.type = "Reshape";
  op.inputs = {source};
  op.outputs = {reshaped};
  op.options.rounding = rounding_;
  done_.push_back(std::move(op));
  return move(reshaped, to_last, "_nhwc");
}

void Versions::grow() {
  while (first_.size() < n_.tensors.size()) {
    first_.push_back(static_cast<int>(first_.size()));
    last_.push_back(-1);
    logical_.push_back(n_.tensors[logical_.size()].shape);
  }
}

}  // namespace dse::nn::layout
