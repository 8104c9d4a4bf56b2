#include "models/nn/train/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "models/nn/circulant/layer.h"
#include "models/nn/made/fill.h"
#include "models/nn/shape.h"
#include "models/nn/train/layers.h"

namespace dse::nn::train {
namespace {

/// One chain, made of a network whose circulant weights are in the time domain.
template <class T>
class Maker {
 public:
  Maker(const Network& n, const std::string& file, Diagnostics& diags, Way way)
      : n_(n), file_(file), diags_(diags), way_(way) {}

  bool make(std::vector<std::unique_ptr<Layer<T>>>& layers) {
    if (n_.inputs.size() != 1 || n_.outputs.size() != 1)
      return fail("", "a network with one input and one output is wanted");
    int last = n_.inputs[0];
    for (std::size_t o = 0; o < n_.operators.size(); ++o) {
      const Operator& op = n_.operators[o];
      if (op.inputs[0] != last)
        return fail(op.name, "does not read the layer before it, and only chains can be trained");
      if (op.kind == OperatorKind::softmax) {
        if (o + 1 != n_.operators.size()) return fail(op.name, "a softmax within a network cannot be trained");
      } else if (!add(op, layers)) {
        return false;
      }
      last = op.outputs[0];
    }
    if (last != n_.outputs[0]) return fail("", "its output is not that of its last layer");
    const bool weighted = std::any_of(layers.begin(), layers.end(), [](auto& l) { return !l->parameters().empty(); });
    return weighted || fail("", "there are no weights to train");
  }

 private:
  bool fail(const std::string& op, const std::string& what) {
    diags_.error({file_, 0, 0}, op.empty() ? what : fmt::format("layer {}: {}", op, what));
    return false;
  }
  const Tensor& tensor(int t) const { return n_.tensors[static_cast<std::size_t>(t)]; }

  bool values(int t, bool bias, Parameter<T>& to) {
    const Tensor& from = tensor(t);
    if (from.kind != TensorKind::constant || from.type != DataType::float32)
      return fail("", fmt::format("'{}' is no float32 constant", from.name));
    to.tensor = t, to.decays = !bias;
    const auto v = bias && from.fill ? std::vector<float>(static_cast<std::size_t>(from.elements())) : values_of(from);
    for (const float x : v)
      if (!std::isfinite(x)) return fail("", fmt::format("'{}' has values that are not finite", from.name));
    to.value.assign(v.begin(), v.end());
    to.gradient.assign(to.value.size(), T{});
    return true;
  }

  /// All rows of a block have the same sum. Inputs are seldom negative, so a first sum below 0 would leave a rectifier
  /// nothing to pass on, of any output: first weights have none.
  static void centre_blocks(std::vector<T>& w, std::int64_t block) {
    for (std::size_t at = 0; at < w.size(); at += static_cast<std::size_t>(block)) {
      T sum{};
      for (std::int64_t k = 0; k < block; ++k) sum += w[at + static_cast<std::size_t>(k)];
      for (std::int64_t k = 0; k < block; ++k) w[at + static_cast<std::size_t>(k)] -= sum / static_cast<T>(block);
    }
  }

  bool add(const Operator& op, std::vector<std::unique_ptr<Layer<T>>>& layers) {
    const Tensor &x = tensor(op.inputs[0]), &y = tensor(op.outputs[0]);
    const std::string type = op.type.empty() ? name_of(op.kind) : op.type;
    if (x.type != DataType::float32) return fail(op.name, "is not in FLOAT32");
    if (op.options.channels_first && x.shape.size() == 4)
      return fail(op.name, "has its channels first; bring it to channels last");
    Parameter<T> weights, bias;
    const bool weighted = is_weighted(op.kind);
    if (weighted) {
      if (!values(op.inputs[1], false, weights)) return false;
      if (is_circulant(op.kind) && tensor(op.inputs[1]).fill) centre_blocks(weights.value, op.options.block);
      if (op.inputs.size() > 2 && op.inputs[2] >= 0 && !values(op.inputs[2], true, bias)) return false;
    }
    const auto& w = weighted ? tensor(op.inputs[1]).shape : x.shape;
    switch (op.kind) {
      case OperatorKind::fully_connected:
      case OperatorKind::circulant_fully_connected: {
        if (x.shape.size() == 2 && x.shape[0] != 1) return fail(op.name, "reads several rows");
        layers.push_back(fully_connected_layer(x.elements(), y.elements(), op.options.block, way_, std::move(weights),
                                               std::move(bias)));
        break;
      }
      case OperatorKind::conv_2d:
      case OperatorKind::circulant_conv_2d: {
        if (op.options.groups != 1 || w[w.size() == 5 ? 3 : 0] < 1) return fail(op.name, "has groups");
        const auto g = floating::geometry(op.options, x.shape, y.shape, w[1], w[2]);
        if (g.batch != 1) return fail(op.name, "reads several images");
        layers.push_back(convolution_layer(g, op.options.block, way_, std::move(weights), std::move(bias)));
        break;
      }
      case OperatorKind::max_pool_2d:
      case OperatorKind::average_pool_2d: {
        const bool average = op.kind == OperatorKind::average_pool_2d;
        const auto g = floating::geometry(op.options, x.shape, y.shape, op.options.filter_h, op.options.filter_w);
        layers.push_back(pool_layer<T>(g, average, op.options.count_include_pad));
        break;
      }
      case OperatorKind::relu:
      case OperatorKind::relu6:
      case OperatorKind::relu_n1_to_1:
        return rectify(op.kind == OperatorKind::relu    ? Activation::relu
                       : op.kind == OperatorKind::relu6 ? Activation::relu6
                                                        : Activation::relu_n1_to_1,
                       y.elements(), layers);
      case OperatorKind::dropout:
        layers.push_back(dropout_layer<T>(y.elements(), static_cast<double>(op.options.alpha), layers.size()));
        break;
      case OperatorKind::reshape:
      case OperatorKind::squeeze:
      case OperatorKind::expand_dims:
      case OperatorKind::identity:
        break;
      default:
        return fail(op.name, fmt::format("{} cannot be trained; what can are convolutions, fully connected and "
                                         "circulant layers, pools, rectifiers, dropout and reshapes in a chain",
                                         type));
    }
    return rectify(op.options.activation, y.elements(), layers);
  }

  bool rectify(Activation a, std::int64_t elements, std::vector<std::unique_ptr<Layer<T>>>& layers) {
    if (a == Activation::none) return true;
    const double most = std::numeric_limits<float>::max();
    layers.push_back(rectifier_layer<T>(elements, a == Activation::relu_n1_to_1 ? -1 : 0,
                                        a == Activation::relu    ? most
                                        : a == Activation::relu6 ? 6
                                                                 : 1));
    return true;
  }

  const Network& n_;
  const std::string& file_;
  Diagnostics& diags_;
  Way way_;
};

}  // namespace

template <class T>
Model<T>::Model(const Network& n, const std::string& file, Diagnostics& diags, Way way) {
  const Network in_time = circulant::in_domain(n, false, false);
  if (!Maker<T>(in_time, file, diags, way).make(layers_)) layers_.clear();
  values_.resize(layers_.size());
}

template <class T>
std::vector<Parameter<T>*> Model<T>::parameters() const {
  std::vector<Parameter<T>*> all;
  for (auto& l : layers_)
    for (auto* p : l->parameters()) all.push_back(p);
  return all;
}

template <class T>
T Model<T>::loss(std::span<const T> x, std::span<const std::uint8_t> labels, const Pass& pass, std::int64_t* hits) {
  const auto rows = static_cast<std::int64_t>(labels.size());
  const T* at = x.data();
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    values_[l].resize(static_cast<std::size_t>(rows * layers_[l]->out));
    layers_[l]->forward(at, rows, values_[l].data(), pass);
    at = values_[l].data();
  }
  T sum{};
  const std::int64_t classes = outputs();
  for (std::int64_t row = 0; row < rows; ++row, at += classes) {
    const auto label = labels[static_cast<std::size_t>(row)];
    ensure(label < classes, "a label beyond the network's outputs");
    const T most = *std::max_element(at, at + classes);
    T all{};
    for (std::int64_t c = 0; c < classes; ++c) all += std::exp(at[c] - most);
    sum += std::log(all) + most - at[label];
    if (hits && std::max_element(at, at + classes) - at == label) ++*hits;
  }
  return sum / static_cast<T>(rows);
}

template <class T>
void Model<T>::gradients(std::span<const T> x, std::span<const std::uint8_t> labels) {
  const auto rows = static_cast<std::int64_t>(labels.size());
  const std::int64_t classes = outputs();
  std::vector<T> g(values_.back());
  for (std::int64_t row = 0; row < rows; ++row) {
    T* p = &g[static_cast<std::size_t>(row * classes)];
    const T most = *std::max_element(p, p + classes);
    T all{};
    for (std::int64_t c = 0; c < classes; ++c) all += p[c] = std::exp(p[c] - most);
    for (std::int64_t c = 0; c < classes; ++c) p[c] /= all * static_cast<T>(rows);
    p[labels[static_cast<std::size_t>(row)]] -= T{1} / static_cast<T>(rows);
  }
  for (auto* p : parameters()) std::fill(p->gradient.begin(), p->gradient.end(), T{});
  std::vector<T> below;
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const T* in = l == 0 ? x.data() : values_[l - 1].data();
    below.resize(l == 0 ? 0 : static_cast<std::size_t>(rows * layers_[l]->in));
    layers_[l]->backward(in, values_[l].data(), g.data(), rows, l == 0 ? nullptr : below.data());
    std::swap(g, below);
  }
}

template <class T>
Network Model<T>::written(Network n, bool spectra) const {
  n = circulant::in_domain(std::move(n), false, false);
  for (const auto& l : layers_)
    for (const auto* p : l->parameters()) {
      Tensor& t = n.tensors[static_cast<std::size_t>(p->tensor)];
      set_values(t, std::vector<float>(p->value.begin(), p->value.end()));
    }
  return spectra ? circulant::in_domain(std::move(n), true, false) : n;
}

template class Model<float>;
template class Model<double>;

}  // namespace dse::nn::train
