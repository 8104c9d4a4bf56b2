#include "tests/nn/tiles/flat_networks.h"

#include <algorithm>
#include <numeric>

namespace dse::nn::test {
namespace {

using Shape = std::vector<std::int64_t>;

Shape draw_shape(Random& r, int min_rank, int max_rank) {
  Shape s;
  const int rank = pick(r, min_rank, max_rank);
  for (int i = 0; i < rank; ++i) s.push_back(pick(r, 1, rank > 4 ? 3 : 6));
  return s;
}

/// A network under construction.
class Draw {
 public:
  explicit Draw(Random& random) : r(random) {}
  Random& r;
  Network n;
  Operator op;

  int add(TensorKind kind, DataType type, Shape shape, float scale = 0.05f, std::int64_t zero = 0) {
    Tensor t;
    t.name = "t" + std::to_string(n.tensors.size());
    t.kind = kind, t.type = type, t.shape = std::move(shape);
    t.quantization.scale = {scale}, t.quantization.zero_point = {zero};
    if (kind == TensorKind::constant) {
      t.data.resize(static_cast<std::size_t>(t.bytes()));
      for (auto& b : t.data) b = static_cast<std::uint8_t>(pick(r, 0, 255));
      if (type == DataType::int32)  // biases: keep accumulators in range
        for (std::size_t i = 3; i < t.data.size(); i += 4) t.data[i] = t.data[i - 1] = t.data[i - 2] & 0x80 ? 0xff : 0;
    }
    n.tensors.push_back(std::move(t));
    return static_cast<int>(n.tensors.size()) - 1;
  }
  void in(DataType type, Shape shape, float scale = 0.05f, std::int64_t zero = 0) {
    op.inputs.push_back(add(TensorKind::input, type, std::move(shape), scale, zero));
    n.inputs.push_back(op.inputs.back());
  }
  void out(DataType type, Shape shape, float scale = 0.05f, std::int64_t zero = 0) {
    op.outputs.push_back(add(TensorKind::activation, type, std::move(shape), scale, zero));
    n.outputs.push_back(op.outputs.back());
  }
  NetworkPtr finish() {
    n.operators.push_back(op);
    Diagnostics diags;
    NetworkPtr done = finish_network(n, diags, "drawn");
    ensure(done != nullptr, diags.text());
    return done;
  }
  DataType any_type() {
    constexpr DataType types[] = {DataType::int8,  DataType::uint8, DataType::int16,
                                  DataType::int32, DataType::int64, DataType::boolean};
    return types[pick(r, 0, 5)];
  }
  bool coin() { return pick(r, 0, 1) == 1; }
};

void draw_copy(Draw& d) {
  constexpr OperatorKind kinds[] = {OperatorKind::reshape, OperatorKind::squeeze, OperatorKind::expand_dims,
                                    OperatorKind::identity, OperatorKind::dropout};
  d.op.kind = kinds[pick(d.r, 0, 4)];
  const DataType type = d.any_type();
  const Shape shape = draw_shape(d.r, 1, 4);
  Shape other = shape;
  other.insert(other.begin() + pick(d.r, 0, static_cast<int>(shape.size())), 1);
  d.in(type, shape), d.out(type, other);
}

void draw_parts(Draw& d) {
  constexpr OperatorKind kinds[] = {OperatorKind::concatenation, OperatorKind::pack, OperatorKind::split,
                                    OperatorKind::unpack};
  d.op.kind = kinds[pick(d.r, 0, 3)];
  const bool joining = d.op.kind == OperatorKind::concatenation || d.op.kind == OperatorKind::pack;
  const bool stacking = d.op.kind == OperatorKind::pack || d.op.kind == OperatorKind::unpack;
  const DataType type = d.any_type();
  const Shape part = draw_shape(d.r, 1, 6);
  const int axis = d.op.options.axis = pick(d.r, 0, static_cast<int>(part.size()) - (stacking ? 0 : 1));
  Shape whole = part;
  const int parts = pick(d.r, 1, 4);
  std::vector<Shape> shapes;
  std::int64_t sum = 0;
  for (int i = 0; i < parts; ++i) {
    shapes.push_back(part);
    if (!stacking) shapes.back()[static_cast<std::size_t>(axis)] = pick(d.r, 1, 5);
    sum += stacking ? 1 : shapes.back()[static_cast<std::size_t>(axis)];
  }
  if (stacking)
    whole.insert(whole.begin() + axis, sum);
  else
    whole[static_cast<std::size_t>(axis)] = sum;
  if (!joining) d.in(type, whole);
  for (const Shape& s : shapes) joining ? d.in(type, s) : d.out(type, s);
  if (joining) d.out(type, whole);
}

void draw_gather(Draw& d) {
  const DataType type = d.any_type();
  const Shape shape = draw_shape(d.r, 1, 6);
  d.in(type, shape);
  Shape out;
  OperatorOptions& o = d.op.options;
  if (d.coin()) {
    d.op.kind = OperatorKind::transpose;
    o.permutation.resize(shape.size());
    std::iota(o.permutation.begin(), o.permutation.end(), 0);
    std::shuffle(o.permutation.begin(), o.permutation.end(), d.r);
    for (const auto p : o.permutation) out.push_back(shape[static_cast<std::size_t>(p)]);
  } else {
    d.op.kind = OperatorKind::strided_slice;
    for (const auto extent : shape) {
      const auto e = static_cast<int>(extent);
      const int a = pick(d.r, 0, e - 1), b = pick(d.r, a + 1, e), step = pick(d.r, 1, 3);
      const bool back = d.coin();
      o.begin.push_back(back ? b - 1 : a);
      o.end.push_back(back ? a - 1 : b);
      o.strides.push_back(back ? -step : step);
      const int count = (b - a + step - 1) / step;
      if (count > 1 || d.coin()) out.push_back(count);  // others are shrunk
    }
  }
  d.out(type, out);
}

void draw_pad(Draw& d) {
  const bool mirror = d.coin();
  d.op.kind = mirror ? OperatorKind::mirror_pad : OperatorKind::pad;
  const DataType type = d.any_type();
  const Shape shape = draw_shape(d.r, 1, 6);
  Shape out = shape;
  d.op.options.mirror_symmetric = mirror && d.coin();
  for (auto& extent : out) {
    const auto e = static_cast<int>(extent);
    const int limit = !mirror ? 3 : std::min(3, d.op.options.mirror_symmetric ? e : e - 1);
    const int before = d.coin() ? pick(d.r, 0, limit) : 0, after = d.coin() ? pick(d.r, 0, limit) : 0;
    d.op.options.pad_before.push_back(before), d.op.options.pad_after.push_back(after);
    extent += before + after;
  }
  d.in(type, shape);
  if (!mirror && d.coin()) d.op.inputs.push_back(d.add(TensorKind::constant, type, {1}));
  d.out(type, out);
}

void draw_reduction(Draw& d) {
  constexpr OperatorKind kinds[] = {OperatorKind::mean,       OperatorKind::sum,     OperatorKind::reduce_max,
                                    OperatorKind::reduce_min, OperatorKind::arg_max, OperatorKind::arg_min};
  d.op.kind = kinds[pick(d.r, 0, 5)];
  const bool arg = d.op.kind == OperatorKind::arg_max || d.op.kind == OperatorKind::arg_min;
  const bool sums = d.op.kind == OperatorKind::mean || d.op.kind == OperatorKind::sum;
  const bool onnx = sums && d.coin();
  if (onnx) d.op.options.rounding = Rounding::onnx;
  const DataType other = onnx ? DataType::uint8 : DataType::int16;
  const DataType type = d.coin() ? DataType::int8 : other;
  const Shape shape = draw_shape(d.r, 1, arg ? 4 : 8);
  Shape out;
  d.op.options.axis = pick(d.r, 0, static_cast<int>(shape.size()) - 1);
  const bool keep = d.coin();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool reduced = arg ? static_cast<int>(i) == d.op.options.axis : d.coin();
    if (reduced) d.op.options.axes.push_back(static_cast<std::int64_t>(i));
    if (!reduced || keep) out.push_back(reduced ? 1 : shape[i]);
  }
  const std::int64_t zero = type == DataType::int8 ? pick(d.r, -128, 127) : type == DataType::uint8 ? 7 : 0;
  d.in(type, shape, 0.05f, zero);
  if (arg)
    d.out(d.coin() ? DataType::int32 : DataType::int64, out);
  else
    d.out(type, out, sums ? 0.03f : 0.05f, zero);
}

void draw_resize(Draw& d) {
  const bool bilinear = d.coin();
  d.op.kind = bilinear ? OperatorKind::resize_bilinear : OperatorKind::resize_nearest_neighbor;
  d.op.options.align_corners = d.coin();
  d.op.options.half_pixel_centers = d.coin();
  d.op.options.channels_first = d.coin();
  const int n = pick(d.r, 1, 3), c = pick(d.r, 1, 5);
  const auto shape = [&](int h, int w) { return d.op.options.channels_first ? Shape{n, c, h, w} : Shape{n, h, w, c}; };
  const DataType type = !bilinear ? d.any_type() : d.coin() ? DataType::int8 : DataType::uint8;
  d.in(type, shape(pick(d.r, 1, 9), pick(d.r, 1, 9)));
  d.out(type, shape(pick(d.r, 1, 15), pick(d.r, 1, 15)));
}

void draw_normalization(Draw& d) {
  const bool log = d.coin();
  d.op.kind = log ? OperatorKind::log_softmax : OperatorKind::l2_normalization;
  const Shape shape = draw_shape(d.r, 1, 4);
  d.in(DataType::int8, shape, 0.1f, pick(d.r, -128, 127));
  d.out(DataType::int8, shape, log ? 1.0f / 16 : 1.0f / 128, log ? 127 : 0);
}

void draw_svdf(Draw& d) {
  d.op.kind = OperatorKind::svdf;
  const int batch = pick(d.r, 1, 3), features = pick(d.r, 1, 9), units = pick(d.r, 1, 5), steps = pick(d.r, 1, 6);
  const int rank = d.op.options.rank = pick(d.r, 1, 3);
  const bool wide = d.coin();
  const DataType type = wide ? DataType::int16 : DataType::int8;
  d.in(DataType::int8, {batch, features}, 0.05f, pick(d.r, -128, 127));
  d.op.inputs.push_back(d.add(TensorKind::constant, DataType::int8, {units * rank, features}, 0.01f));
  d.op.inputs.push_back(d.add(TensorKind::constant, type, {units * rank, steps}, wide ? 0.0001f : 0.01f));
  d.op.inputs.push_back(d.coin() ? d.add(TensorKind::constant, DataType::int32, {units}, wide ? 4e-8f : 6e-4f) : -1);
  d.op.inputs.push_back(d.add(TensorKind::variable, type, {batch, units * rank * steps}, wide ? 0.0004f : 0.06f,
                              wide ? 0 : pick(d.r, -128, 127)));
  d.out(DataType::int8, {batch, units}, 0.05f, pick(d.r, -128, 127));
}

void draw_lstm(Draw& d) {
  d.op.kind = OperatorKind::unidirectional_sequence_lstm;
  const int batch = pick(d.r, 1, 3), steps = pick(d.r, 1, 4), features = pick(d.r, 1, 6), units = pick(d.r, 1, 6);
  const bool time_major = d.op.options.time_major = d.coin();
  d.op.options.cell_clip = d.coin() ? 0.9f : 0.0f;
  const auto sequence = [&](int c) { return time_major ? Shape{steps, batch, c} : Shape{batch, steps, c}; };
  const int zero = pick(d.r, -128, 127);
  d.in(DataType::int8, sequence(features), 0.03f, pick(d.r, -128, 127));
  d.op.inputs.resize(24, -1);
  for (std::size_t g = 0; g < 4; ++g) {
    d.op.inputs[1 + g] = d.add(TensorKind::constant, DataType::int8, {units, features}, 0.01f);
    d.op.inputs[5 + g] = d.add(TensorKind::constant, DataType::int8, {units, units}, 0.01f);
    d.op.inputs[12 + g] = d.coin() ? d.add(TensorKind::constant, DataType::int32, {units}, 3e-4f) : -1;
  }
  d.op.inputs[18] = d.add(TensorKind::variable, DataType::int8, {batch, units}, 0.008f, zero);
  d.op.inputs[19] = d.add(TensorKind::variable, DataType::int16, {batch, units}, 1.0f / (1 << pick(d.r, 10, 14)));
  d.out(DataType::int8, sequence(units), 0.008f, zero);
}

}  // namespace

NetworkPtr random_flat_network(Random& r) {
  Draw d(r);
  void (*const draws[])(Draw&) = {draw_copy,   draw_parts,         draw_gather, draw_pad, draw_reduction,
                                  draw_resize, draw_normalization, draw_svdf,   draw_lstm};
  draws[pick(r, 0, 8)](d);
  return d.finish();
}

TensorBytes random_bytes(const Network& n, Random& r) {
  TensorBytes out;
  for (const Tensor& t : n.tensors) {
    out.emplace_back(t.kind == TensorKind::constant ? 0 : static_cast<std::size_t>(t.bytes()));
    for (auto& b : out.back()) b = static_cast<std::uint8_t>(pick(r, 0, 255));
  }
  return out;
}

}  // namespace dse::nn::test
