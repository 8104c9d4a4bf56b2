// One-dimensional operators are computed on images of height 1: [N, C, L] is [N, C, 1, L] to them.
#include <algorithm>

#include "models/nn/onnx/reader.h"

namespace dse::nn::onnx_import {
namespace {

using K = OperatorKind;

/// [N, C, L] or weights [M, C, k] with an extent of 1 in front of the last one.
Shape image_of(const Shape& s) { return {s[0], s[1], 1, s[2]}; }

/// Takes images as well as what they are made of, element by element or channel by channel.
bool takes_images(K kind) {
  static constexpr K kinds[] = {K::relu,         K::clip,    K::logistic, K::tanh,       K::leaky_relu,
                                K::elu,          K::abs,     K::neg,      K::identity,   K::hard_swish,
                                K::hard_sigmoid, K::dropout, K::quantize, K::dequantize, K::batch_normalization};
  return std::find(std::begin(kinds), std::end(kinds), kind) != std::end(kinds);
}

bool joins_images(K kind) { return kind == K::add || kind == K::sub || kind == K::mul || kind == K::add_n; }

}  // namespace

int Reader::maker_of(int t) const {
  for (std::size_t o = network.operators.size(); o-- > 0;) {
    const auto& out = network.operators[o].outputs;
    if (std::find(out.begin(), out.end(), t) != out.end()) return static_cast<int>(o);
  }
  return -1;
}

int Reader::lifted(int t) {
  if (const auto known = images_.find(t); known != images_.end()) return known->second;
  const Shape shape = image_of(tensor(t).shape);
  int image = 0;
  if (is_constant(t)) {
    image = reshaped(t, shape);
    if (tensor(image).quantization.axis == 2) tensor(image).quantization.axis = 3;
  } else {
    Operator op;
    const int made_by = maker_of(t);
    // Behind a DEQUANTIZE the integers are seen as an image, so that it still stands in front of what it belongs to.
    const bool conversion = made_by >= 0 && network.operators[static_cast<std::size_t>(made_by)].kind == K::dequantize;
    if (conversion) {
      op = network.operators[static_cast<std::size_t>(made_by)];
      op.name.clear();
      op.inputs[0] = lifted(op.inputs[0]);
    } else {
      op.kind = K::expand_dims;
      op.type = "Unsqueeze";
      op.inputs = {t};
      op.options.axes = {2};
    }
    Tensor like = tensor(t);
    like.kind = TensorKind::activation;
    like.shape = shape;
    like.name = fresh_name(like.name);
    image = add(std::move(like));
    op.outputs = {image};
    network.operators.push_back(std::move(op));
  }
  images_.emplace(t, image);
  return image;
}

void Reader::lift_operands(Node& n, OperatorKind kind) {
  if (n.proto->output_size() != 1 || n.proto->output(0).empty() || !n.has(0)) return;
  if (kind == K::global_average_pool || kind == K::global_max_pool) {
    if (shape(n, 0).size() != 3) return;
    n.inputs[0] = lifted(n.inputs[0]);
  } else if (takes_images(kind)) {
    const auto known = images_.find(n.inputs[0]);
    if (known == images_.end() || is_constant(n.inputs[0])) return;
    n.inputs[0] = known->second;
  } else if (joins_images(kind) && n.proto->domain().empty()) {
    const auto is_image = [&](int t) { return t >= 0 && !is_constant(t) && images_.count(t) > 0; };
    if (!std::all_of(n.inputs.begin(), n.inputs.end(), is_image)) return;
    for (int& t : n.inputs) t = images_.at(t);
  } else {
    return;
  }
  n.flat = true;
}

bool Reader::squeeze_output(const std::string& name, int image) {
  Operator op;
  op.kind = K::squeeze;
  op.type = "Squeeze";
  op.options.axes = {2};
  op.inputs = {image};
  Tensor t = tensor(image);
  t.name = name.substr(0, 256);
  t.shape.erase(t.shape.begin() + 2);
  const int out = add(std::move(t));
  op.outputs = {out};
  network.operators.push_back(std::move(op));
  images_.emplace(out, image);
  return add_value(name, out);
}

}  // namespace dse::nn::onnx_import
