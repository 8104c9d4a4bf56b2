#include <algorithm>

#include "tests/support/graphs/any_builder.h"

namespace dse::test {

using nn::DataType;
using nn::OperatorKind;
using nn::TensorKind;

AnyBuilder::AnyBuilder(Random& random, int operators) : random_(random), wanted_(static_cast<std::size_t>(operators)) {
  n_.name = "any";
  const int type = pick(random_, 0, 9);
  type_ = type < 7 ? DataType::int8 : type < 9 ? DataType::int16 : DataType::uint8;
  per_channel_ = !bytes() && pick(random_, 0, 1);
  real_ends_ = pick(random_, 0, 3) == 0;
}

nn::NetworkPtr AnyBuilder::build() {
  begin();
  reach_ = pick(random_, 0, 2) ? pick(random_, 1, 3) : pick(random_, 4, 12);
  while (n_.operators.size() < wanted_) step();
  outputs();
  Diagnostics diags;
  nn::LoadOptions options;
  options.allow_float = real_ends_;
  auto done = nn::finish_network(std::move(n_), diags, "any", options);
  ensure(done != nullptr, "random network: " + diags.text());
  return done;
}

void AnyBuilder::fill(nn::Tensor& t) {
  const auto size = static_cast<std::size_t>(nn::size_of(t.type));
  t.data.resize(static_cast<std::size_t>(t.elements()) * size);
  for (std::size_t i = 0; i < t.data.size(); ++i) {  // wide ones: from 0 to 2^12
    const auto byte = i % size;
    t.data[i] = static_cast<std::uint8_t>(size < 4 || byte == 0 ? random_() : byte == 1 ? random_() & 15 : 0);
  }
}

int AnyBuilder::add(Shape shape, TensorKind kind, float scale, std::int64_t zero) {
  nn::Tensor t;
  t.name = "t" + std::to_string(n_.tensors.size());
  t.shape = std::move(shape), t.kind = kind, t.type = type_;
  const bool drawn = scale == 0;
  if (drawn) scale = (wide() ? 0.01f / 256 : 0.01f) * static_cast<float>(pick(random_, 3, 9));
  if (drawn && !wide() && kind != TensorKind::constant) zero = pick(random_, -20, 20) + (bytes() ? 128 : 0);
  if (drawn && bytes() && kind == TensorKind::constant) zero = 128;
  t.quantization = {{scale}, {zero}, 0, {}};
  if (kind == TensorKind::constant || (kind == TensorKind::variable && pick(random_, 0, 1))) fill(t);
  n_.tensors.push_back(std::move(t));
  return static_cast<int>(n_.tensors.size()) - 1;
}

int AnyBuilder::like(int tensor, Shape shape, TensorKind kind) {
  const auto q = at(tensor).quantization;
  return add(std::move(shape), kind, q.scale[0], q.zero_point[0]);
}

int AnyBuilder::shares(Shape shape) {
  return add(std::move(shape), TensorKind::activation, wide() ? 1.0f / 32768 : 1.0f / 256,
             wide() || bytes() ? 0 : -128);
}

std::vector<int> AnyBuilder::weighted(int in, Shape shape, std::size_t axis) {
  const auto constant = [&](Shape of, DataType type) {
    nn::Tensor t;
    t.name = "t" + std::to_string(n_.tensors.size());
    t.shape = std::move(of), t.kind = TensorKind::constant, t.type = type;
    fill(t);
    n_.tensors.push_back(std::move(t));
    return static_cast<int>(n_.tensors.size()) - 1;
  };
  const auto channels = shape[axis];
  const int w = constant(std::move(shape), bytes() ? DataType::uint8 : DataType::int8);
  auto& q = at(w).quantization;
  q.axis = static_cast<int>(axis);
  for (std::int64_t c = 0; c < (per_channel_ ? channels : 1); ++c) {
    q.scale.push_back(0.002f + 0.001f * static_cast<float>(pick(random_, 0, 20)));
    q.zero_point.push_back(bytes() ? 128 : 0);
  }
  if (!wide() && pick(random_, 0, 7) == 0) return {in, w, -1};
  const int b = constant({channels}, wide() ? DataType::int64 : DataType::int32);
  for (const float scale : at(w).quantization.scale) {
    at(b).quantization.scale.push_back(scale * at(in).quantization.scale[0]);
    at(b).quantization.zero_point.push_back(0);
  }
  return {in, w, b};
}

int AnyBuilder::emit(OperatorKind kind, std::vector<int> inputs, int out, nn::OperatorOptions options) {
  inside(kind, std::move(inputs), out, std::move(options));
  if (kind != OperatorKind::assign_variable) live_.push_back(out);
  return out;
}
int AnyBuilder::inside(OperatorKind kind, std::vector<int> inputs, int out, nn::OperatorOptions options) {
  nn::Operator op;
  op.kind = kind, op.inputs = std::move(inputs), op.outputs = {out}, op.options = std::move(options);
  op.name = std::string(nn::key_of(kind)) + std::to_string(n_.operators.size());
  n_.operators.push_back(std::move(op));
  return out;
}

/// One image, at times two, at times of one row; FLOAT32 where the ends are real.
void AnyBuilder::begin() {
  const bool row = pick(random_, 0, 5) == 0;
  for (int i = pick(random_, 0, 4) ? 1 : 2; i > 0; --i) {
    const Shape s = {1, row ? 1 : pick(random_, 4, 16), pick(random_, 1, 16), pick(random_, 1, 8)};
    int in = add(s, real_ends_ ? TensorKind::activation : TensorKind::input);
    if (real_ends_) {
      const int given = add(s, TensorKind::input);
      at(given).type = DataType::float32, at(given).quantization = {};
      n_.inputs.push_back(given);
      inside(OperatorKind::quantize, {given}, in);
    } else {
      n_.inputs.push_back(in);
    }
    live_.push_back(in);
    from_ = in, convolution();
  }
}

/// A result in FLOAT32.
int AnyBuilder::real(int tensor, OperatorKind kind, int out) {
  at(out).type = DataType::float32, at(out).quantization = {};
  nn::OperatorOptions o;
  o.axis = static_cast<int>(at(tensor).shape.size()) - 1;
  return inside(kind, {tensor}, out, kind == OperatorKind::softmax ? o : nn::OperatorOptions());
}

int AnyBuilder::end(int tensor) {
  const auto size = at(tensor).elements();
  const int how = pick(random_, 0, real_ends_ ? 3 : 6);
  if (how < 2 && size <= 1024) {
    int flat = inside(OperatorKind::reshape, {tensor}, like(tensor, {1, size}));
    if (how == 0) {
      const std::int64_t classes = pick(random_, 2, 12);
      auto inputs = weighted(flat, {classes, size}, 0);
      flat = inside(OperatorKind::fully_connected, inputs, fresh({1, classes}));
    }
    const auto classes = at(flat).elements();
    if (real_ends_ && how == 0) {
      const int scores = real(flat, OperatorKind::dequantize, fresh({1, classes}));
      return real(scores, OperatorKind::softmax, fresh({1, classes}));
    }
    if (!real_ends_ && how == 0) {
      nn::OperatorOptions o;
      o.axis = 1;
      return inside(OperatorKind::softmax, {flat}, shares({1, classes}), o);
    }
    tensor = flat;
  }
  if (!real_ends_) return tensor;
  const int out = real(tensor, OperatorKind::dequantize, fresh(at(tensor).shape));
  return how == 3 ? real(out, OperatorKind::reshape, fresh({size, 1})) : out;
}

void AnyBuilder::outputs() {
  std::vector<int> leaving;
  for (const int t : live_) {
    if (at(t).kind != TensorKind::activation) continue;
    const bool read = !n_.consumers(t).empty();
    if (read ? pick(random_, 0, 9) == 0 : pick(random_, 0, 7) > 0) leaving.push_back(t);
  }
  if (leaving.empty()) leaving.push_back(live_.back());
  for (const int t : leaving) n_.outputs.push_back(end(t));
}

nn::NetworkPtr random_any_network(Random& random, int operators) { return AnyBuilder(random, operators).build(); }

}  // namespace dse::test
