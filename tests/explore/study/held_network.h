// Networks whose tensors have staggered lifetimes of many sizes, so that giving them addresses is a real packing
// problem.
#pragma once
#include <algorithm>
#include <string>

#include "tests/support/random_cases.h"

namespace dse::explore::test_support {

namespace detail {

inline int add_tensor(nn::Network& n, std::vector<std::int64_t> shape, nn::TensorKind kind, nn::DataType type,
                      test::Random& random) {
  nn::Tensor t;
  t.name = "t" + std::to_string(n.tensors.size());
  t.shape = std::move(shape), t.kind = kind, t.type = type;
  t.quantization.scale = {0.05f};
  t.quantization.zero_point = {0};
  if (kind == nn::TensorKind::constant) {
    t.data.resize(static_cast<std::size_t>(t.elements()) * nn::size_of(type));
    if (type == nn::DataType::int8)
      for (auto& b : t.data) b = static_cast<std::uint8_t>(random());
  }
  n.tensors.push_back(std::move(t));
  return static_cast<int>(n.tensors.size()) - 1;
}

inline int pointwise(nn::Network& n, int input, std::int64_t filters, test::Random& random) {
  nn::Operator op;
  op.name = "op" + std::to_string(n.operators.size());
  op.kind = nn::OperatorKind::conv_2d;
  const auto shape = n.tensors[input].shape;
  const int w = add_tensor(n, {filters, 1, 1, shape[3]}, nn::TensorKind::constant, nn::DataType::int8, random);
  const int bias = add_tensor(n, {filters}, nn::TensorKind::constant, nn::DataType::int32, random);
  op.inputs = {input, w, bias};
  op.outputs = {
      add_tensor(n, {1, shape[1], shape[2], filters}, nn::TensorKind::activation, nn::DataType::int8, random)};
  n.operators.push_back(op);
  return op.outputs[0];
}

inline nn::NetworkPtr finished(nn::Network n, const std::vector<int>& images) {
  for (const int t : images)
    if (t != n.inputs[0] && n.consumers(t).empty()) n.outputs.push_back(t);
  Diagnostics diags;
  auto done = nn::finish_network(std::move(n), diags, "held");
  ensure(done != nullptr, "held network: " + diags.text());
  return done;
}

}  // namespace detail

/// Pointwise convolutions on square images: tensor 0 is the input, operator i reads tensor reads[i] and makes tensor
/// i + 1 of channels[i + 1] channels. What nobody reads leaves the network.
inline nn::NetworkPtr staggered_network(const std::vector<int>& channels, const std::vector<int>& reads,
                                        std::int64_t side = 2) {
  test::Random random(1);
  nn::Network n;
  n.name = "staggered";
  std::vector<int> images = {
      detail::add_tensor(n, {1, side, side, channels[0]}, nn::TensorKind::input, nn::DataType::int8, random)};
  n.inputs = images;
  for (std::size_t i = 0; i < reads.size(); ++i)
    images.push_back(detail::pointwise(n, images[static_cast<std::size_t>(reads[i])], channels[i + 1], random));
  return detail::finished(std::move(n), images);
}

/// A directed graph of pointwise convolutions and concatenations of two, of `layers` operators on one image size; the
/// operands are drawn from the latest `reach` tensors, and what nobody reads leaves the network.
inline nn::NetworkPtr held_network(test::Random& random, int layers, int reach, int widest = 24) {
  nn::Network n;
  n.name = "held";
  const std::int64_t side = test::pick(random, 2, 4);
  std::vector<int> images = {detail::add_tensor(n, {1, side, side, test::pick(random, 1, widest)},
                                                nn::TensorKind::input, nn::DataType::int8, random)};
  n.inputs = images;
  const auto drawn = [&] {
    const int count = static_cast<int>(images.size());
    return images[static_cast<std::size_t>(test::pick(random, std::max(0, count - reach), count - 1))];
  };
  for (int i = 0; i < layers; ++i) {
    const int a = i == 0 ? n.inputs[0] : drawn(), b = drawn();
    if (a == b || test::pick(random, 0, 2) != 0) {
      images.push_back(detail::pointwise(n, a, test::pick(random, 1, widest), random));
      continue;
    }
    nn::Operator op;
    op.name = "op" + std::to_string(i);
    op.kind = nn::OperatorKind::concatenation;
    op.options.axis = 3;
    op.inputs = {a, b};
    op.outputs = {detail::add_tensor(n, {1, side, side, n.tensors[a].shape[3] + n.tensors[b].shape[3]},
                                     nn::TensorKind::activation, nn::DataType::int8, random)};
    images.push_back(op.outputs[0]);
    n.operators.push_back(std::move(op));
  }
  return detail::finished(std::move(n), images);
}

}  // namespace dse::explore::test_support
