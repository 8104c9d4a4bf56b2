#include "tests/plan/segment/branched_networks.h"

#include "base/diagnostics.h"

namespace dse::test {

using nn::OperatorKind;
using Shape = std::vector<std::int64_t>;

BranchedNetwork::BranchedNetwork(std::string name, std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {
  n_.name = std::move(name);
}

int BranchedNetwork::tensor(Shape shape, nn::TensorKind kind) {
  nn::Tensor t;
  t.name = "x" + std::to_string(n_.tensors.size());
  t.shape = std::move(shape), t.kind = kind, t.type = nn::DataType::int8;
  t.quantization = {{0.05f}, {3}, 0, {}};
  n_.tensors.push_back(std::move(t));
  return static_cast<int>(n_.tensors.size()) - 1;
}

int BranchedNetwork::constant(Shape shape, nn::DataType type, nn::Quantization quantization, int limit) {
  nn::Tensor t;
  t.name = "c" + std::to_string(n_.tensors.size());
  t.shape = std::move(shape), t.kind = nn::TensorKind::constant, t.type = type;
  t.quantization = std::move(quantization);
  const auto size = static_cast<std::size_t>(nn::size_of(type));
  t.data.resize(static_cast<std::size_t>(t.elements()) * size);
  for (std::size_t i = 0; i < t.data.size(); i += size) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    const auto v = static_cast<std::int64_t>((state_ >> 33) % static_cast<std::uint64_t>(2 * limit + 1)) - limit;
    for (std::size_t b = 0; b < size; ++b) t.data[i + b] = static_cast<std::uint8_t>(v >> (8 * b));
  }
  n_.tensors.push_back(std::move(t));
  return static_cast<int>(n_.tensors.size()) - 1;
}

int BranchedNetwork::emit(OperatorKind kind, std::vector<int> inputs, Shape shape, nn::OperatorOptions options) {
  const int out = tensor(std::move(shape));
  nn::Operator op;
  op.kind = kind, op.inputs = std::move(inputs), op.outputs = {out}, op.options = std::move(options);
  n_.operators.push_back(std::move(op));
  return out;
}

int BranchedNetwork::input(std::int64_t h, std::int64_t w, std::int64_t c) {
  n_.inputs.push_back(tensor({1, h, w, c}, nn::TensorKind::input));
  return n_.inputs.back();
}

int BranchedNetwork::window(OperatorKind kind, int in, std::int64_t filters, int kernel, int stride, bool same) {
  const Shape s = n_.tensors[in].shape;
  nn::OperatorOptions o;
  o.same_padding = same;
  o.stride_h = o.stride_w = stride, o.filter_h = o.filter_w = kernel;
  const auto extent = [&](std::int64_t n) { return same ? (n + stride - 1) / stride : (n - kernel) / stride + 1; };
  std::vector<int> inputs = {in};
  if (kind != OperatorKind::max_pool_2d) {
    const bool depthwise = kind == OperatorKind::depthwise_conv_2d;
    const Shape w = depthwise ? Shape{1, kernel, kernel, filters} : Shape{filters, kernel, kernel, s[3]};
    inputs.push_back(constant(w, nn::DataType::int8, {{0.02f}, {0}, 0, {}}, 90));
    inputs.push_back(constant({filters}, nn::DataType::int32, {{0.05f * 0.02f}, {0}, 0, {}}, 2000));
  }
  return emit(kind, inputs, {1, extent(s[1]), extent(s[2]), filters}, o);
}

int BranchedNetwork::conv(int in, std::int64_t filters, int kernel, int stride) {
  return window(OperatorKind::conv_2d, in, filters, kernel, stride, true);
}
int BranchedNetwork::valid_conv(int in, std::int64_t filters, int kernel, int stride) {
  return window(OperatorKind::conv_2d, in, filters, kernel, stride, false);
}
int BranchedNetwork::depthwise(int in, int kernel) {
  return window(OperatorKind::depthwise_conv_2d, in, n_.tensors[in].shape[3], kernel, 1, true);
}
int BranchedNetwork::max_pool(int in, int kernel, int stride) {
  return window(OperatorKind::max_pool_2d, in, n_.tensors[in].shape[3], kernel, stride, true);
}
int BranchedNetwork::add(int a, int b) { return emit(OperatorKind::add, {a, b}, n_.tensors[a].shape); }
int BranchedNetwork::mul(int a, int b) { return emit(OperatorKind::mul, {a, b}, n_.tensors[a].shape); }
int BranchedNetwork::relu(int a) { return emit(OperatorKind::relu, {a}, n_.tensors[a].shape); }

int BranchedNetwork::unary(OperatorKind kind, int a, float alpha) {
  nn::OperatorOptions o;
  o.alpha = alpha;
  std::vector<int> inputs = {a};
  if (kind == OperatorKind::prelu)
    inputs.push_back(constant({n_.tensors[a].shape[3]}, nn::DataType::int8, {{0.01f}, {0}, 0, {}}, 90));
  const int out = emit(kind, std::move(inputs), n_.tensors[a].shape, o);
  // Their outputs' formats are given.
  if (kind == OperatorKind::logistic) n_.tensors[out].quantization = {{1.0f / 256}, {-128}, 0, {}};
  if (kind == OperatorKind::tanh) n_.tensors[out].quantization = {{1.0f / 128}, {0}, 0, {}};
  return out;
}

int BranchedNetwork::binary(OperatorKind kind, int a, int b) { return emit(kind, {a, b}, n_.tensors[a].shape); }

int BranchedNetwork::concat(std::vector<int> parts, int axis) {
  Shape s = n_.tensors[parts.front()].shape;
  s[axis] = 0;
  for (const int p : parts) s[axis] += n_.tensors[p].shape[axis];
  nn::OperatorOptions o;
  o.axis = axis;
  return emit(OperatorKind::concatenation, std::move(parts), s, o);
}

int BranchedNetwork::pad(int in, Shape before, Shape after) {
  Shape s = n_.tensors[in].shape;
  nn::OperatorOptions o;
  o.pad_before = {0, before[0], before[1], before[2]}, o.pad_after = {0, after[0], after[1], after[2]};
  for (std::size_t d = 0; d < 4; ++d) s[d] += o.pad_before[d] + o.pad_after[d];
  return emit(OperatorKind::pad, {in}, s, o);
}

int BranchedNetwork::reshape(int in, Shape shape) { return emit(OperatorKind::reshape, {in}, std::move(shape)); }

int BranchedNetwork::dense(int in, std::int64_t units) {
  const int w = constant({units, n_.tensors[in].elements()}, nn::DataType::int8, {{0.02f}, {0}, 0, {}}, 90);
  const int b = constant({units}, nn::DataType::int32, {{0.05f * 0.02f}, {0}, 0, {}}, 2000);
  return emit(OperatorKind::fully_connected, {in, w, b}, {1, units});
}

nn::NetworkPtr BranchedNetwork::build(std::vector<int> outputs) {
  n_.outputs = std::move(outputs);
  Diagnostics diags;
  const auto name = n_.name;
  auto done = nn::finish_network(std::move(n_), diags, name);
  ensure(done != nullptr, diags.text());
  return done;
}

nn::NetworkPtr random_branches(Random& random, int longest) {
  BranchedNetwork n("branches", random());
  const int side = pick(random, 2, 5), width = 2 * pick(random, 1, 6);
  const int from = n.conv(n.input(side, side, pick(random, 1, 8)), 2 * pick(random, 1, 8));
  struct Chain {
    int at, left;
  };
  std::vector<Chain> chains(static_cast<std::size_t>(pick(random, 2, 3)));
  for (auto& c : chains) c = {from, pick(random, 1, longest)};
  std::vector<int> open(chains.size());
  for (std::size_t i = 0; i < open.size(); ++i) open[i] = static_cast<int>(i);
  while (!open.empty()) {
    const auto drawn = static_cast<std::size_t>(pick(random, 0, static_cast<int>(open.size()) - 1));
    auto& c = chains[static_cast<std::size_t>(open[drawn])];
    c.at = n.conv(c.at, --c.left == 0 ? width : 4 * pick(random, 1, 12));
    if (c.left == 0) open.erase(open.begin() + static_cast<std::ptrdiff_t>(drawn));
  }
  int sum = chains[0].at;
  for (std::size_t i = 1; i < chains.size(); ++i) sum = n.add(sum, chains[i].at);
  return n.build({sum});
}

nn::NetworkPtr six_operators() {
  BranchedNetwork n("six");
  const int a1 = n.conv(n.input(16, 16, 4), 8);
  const int b1 = n.conv(a1, 64), c1 = n.conv(a1, 64);
  const int b2 = n.conv(b1, 4), c2 = n.conv(c1, 4);
  return n.build({n.add(b2, c2)});
}

nn::NetworkPtr residual_network() {
  BranchedNetwork b("residual");
  int x = b.conv(b.input(12, 12, 3), 8, 3);
  for (int block = 0; block < 3; ++block) {
    const int branch = b.conv(b.conv(x, 2), 8, 3);
    x = b.relu(b.add(x, branch));
  }
  const int y = b.mul(x, b.depthwise(x));
  return b.build({b.dense(b.reshape(b.max_pool(y, 3, 3), {1, 128}), 10)});
}

nn::NetworkPtr inception_network() {
  BranchedNetwork b("inception");
  int x = b.conv(b.input(12, 12, 3), 12, 3);
  for (int module = 0; module < 2; ++module)
    x = b.concat({b.conv(x, 8), b.conv(b.conv(x, 4), 8, 3), b.conv(b.conv(x, 4), 4, 5), b.conv(b.max_pool(x), 4)});
  return b.build({b.dense(b.reshape(b.max_pool(x, 3, 3), {1, 384}), 10)});
}

nn::NetworkPtr dense_network() {
  BranchedNetwork b("dense");
  int x = b.conv(b.input(12, 12, 3), 8, 3);
  for (int layer = 0; layer < 5; ++layer) x = b.concat({x, b.conv(b.conv(x, 8), 4, 3)});
  return b.build({b.conv(b.max_pool(x, 2, 2), 6)});
}

nn::NetworkPtr padded_network() {
  BranchedNetwork b("padded");
  int x = b.conv(b.input(13, 13, 3), 8, 3);
  x = b.valid_conv(b.pad(x, {0, 0, 0}, {1, 1, 0}), 12, 3, 2);
  const int y = b.conv(x, 12, 3);
  x = b.valid_conv(b.pad(y, {1, 1, 0}, {1, 1, 0}), 12, 3);
  const int wide = b.pad(b.conv(x, 10), {0, 0, 1}, {0, 0, 3});  // channels, as shortcuts of narrow blocks have them
  return b.build({b.conv(b.add(b.conv(wide, 12), x), 4)});
}

}  // namespace dse::test
