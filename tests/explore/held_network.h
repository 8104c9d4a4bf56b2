// Networks whose tensors have staggered lifetimes of many sizes, so that giving them addresses is a real packing
// problem.
#pragma once
#include <algorithm>
#include <string>

#include "tests/support/random_cases.h"

namespace dse::explore::test_support {

/// A directed graph of pointwise convolutions and concatenations of two, of `layers` operators on one image size; the
/// operands are drawn from the latest `reach` tensors, and everything that nobody reads is joined or leaves.
inline nn::NetworkPtr held_network(test::Random& random, int layers, int reach, int widest = 24) {
  nn::Network n;
  n.name = "held";
  const auto tensor = [&](std::vector<std::int64_t> shape, nn::TensorKind kind, nn::DataType type) {
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
  };
  const std::int64_t side = test::pick(random, 2, 4);
  std::vector<int> images = {
      tensor({1, side, side, test::pick(random, 1, widest)}, nn::TensorKind::input, nn::DataType::int8)};
  n.inputs = images;
  const auto drawn = [&] {
    const int count = static_cast<int>(images.size());
    return images[test::pick(random, std::max(0, count - reach), count - 1)];
  };
  for (int i = 0; i < layers; ++i) {
    nn::Operator op;
    op.name = "op" + std::to_string(i);
    const int a = i == 0 ? n.inputs[0] : drawn(), b = drawn();
    if (a != b && test::pick(random, 0, 2) == 0) {
      op.kind = nn::OperatorKind::concatenation;
      op.options.axis = 3;
      op.inputs = {a, b};
      op.outputs = {tensor({1, side, side, n.tensors[a].shape[3] + n.tensors[b].shape[3]}, nn::TensorKind::activation,
                           nn::DataType::int8)};
    } else {
      op.kind = nn::OperatorKind::conv_2d;
      const std::int64_t filters = test::pick(random, 1, widest);
      const int w = tensor({filters, 1, 1, n.tensors[a].shape[3]}, nn::TensorKind::constant, nn::DataType::int8);
      const int bias = tensor({filters}, nn::TensorKind::constant, nn::DataType::int32);
      op.inputs = {a, w, bias};
      op.outputs = {tensor({1, side, side, filters}, nn::TensorKind::activation, nn::DataType::int8)};
    }
    images.push_back(op.outputs[0]);
    n.operators.push_back(std::move(op));
  }
  for (const int t : images)
    if (t != n.inputs[0] && n.consumers(t).empty()) n.outputs.push_back(t);
  Diagnostics diags;
  auto done = nn::finish_network(std::move(n), diags, "held");
  ensure(done != nullptr, "held network: " + diags.text());
  return done;
}

}  // namespace dse::explore::test_support
