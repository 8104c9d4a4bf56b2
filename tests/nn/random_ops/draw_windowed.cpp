// Pools, reductions, resizing.
#include <algorithm>

#include "cases.h"

namespace dse::nn::random_ops {
namespace {

void pool(Draw& d, Case& c, bool average) {
  using oracle::Padding;
  const Shape x = d.image();
  c.o.padding = d.one_of({Padding::same, Padding::valid, Padding::given});
  const bool global = c.kind.substr(0, 6) == "GLOBAL";
  if (global) c.o.padding = Padding::valid;
  WindowAxis h = draw_axis(d, x[1], c.o.padding, false), w = draw_axis(d, x[2], c.o.padding, false);
  if (global) h = w = {}, h.out = w.out = 1;
  c.o.filter_h = h.kernel, c.o.filter_w = w.kernel, c.o.stride_h = h.stride, c.o.stride_w = w.stride;
  c.o.pad_top = h.before, c.o.pad_bottom = h.after, c.o.pad_left = w.before, c.o.pad_right = w.after;
  c.o.activation = d.activation();
  const Type t = d.activations(true, true);
  Tensor in = d.tensor(x, t), y = in;
  if (average && d.mode == Mode::onnx) {
    y = d.tensor(x, t, in.s());
    c.o.count_include_pad = !global && d.chance(40);
  }
  y.shape = {x[0], h.out, w.out, x[3]};
  c.in = {d.input(in)};
  c.out = {y};
}

void reduce(Draw& d, Case& c) {
  Shape x = d.any_rank();
  const std::int64_t rank = std::ssize(x);
  const bool mean = c.kind == "MEAN", sum = c.kind == "SUM";
  if (mean && d.chance(30)) x[x.size() / 2] = d.in(1, 20);
  std::vector<std::int64_t> axes;
  for (std::int64_t a = 0; a < rank; ++a)
    if (d.chance(a == 0 && rank > 3 ? 10 : 50)) axes.push_back(d.chance(20) ? a - rank : a);
  if (rank == 4 && d.chance(40)) axes = {1, 2};
  if (axes.empty()) axes = {d.in(0, rank - 1)};
  c.o.keep_dims = d.chance(50);
  Shape out = x;
  std::int64_t n = 1;
  for (const auto a : axes)
    n *= x[static_cast<std::size_t>((a + rank) % rank)], out[static_cast<std::size_t>((a + rank) % rank)] = 0;
  if (c.o.keep_dims) {
    std::replace(out.begin(), out.end(), std::int64_t{0}, std::int64_t{1});
  } else {
    out.erase(std::remove(out.begin(), out.end(), 0), out.end());
  }
  const Type t = d.activations(true, d.mode == Mode::onnx);
  Tensor in = d.tensor(x, t), y = in;
  const float wide = t == Type::i16 ? 256.0f : 1.0f;
  if (mean) y = d.tensor(out, t, in.s() * wide);
  if (sum) y = d.tensor(out, t, in.s() * wide * static_cast<float>(n));
  if ((mean || sum) && (d.mode == Mode::qformat || d.chance(20))) y.scale = in.scale;
  y.shape = out;
  c.in = {d.input(in), d.integers(axes)};
  c.out = {y};
}

void argument(Draw& d, Case& c) {
  Shape x = d.image();
  const std::int64_t axis = d.chance(60) ? 3 : d.in(0, 3);
  Tensor in = d.tensor(x, d.activations(true, true));
  Tensor y;
  y.type = d.one_of({Type::i32, Type::i64});
  x.erase(x.begin() + axis);
  y.shape = x;
  c.in = {d.input(in), d.integers({d.chance(30) ? axis - 4 : axis})};
  c.in[1].tensor.shape = {};
  if (d.chance(50)) c.in[1].tensor.shape = {1};
  c.out = {y};
}

void resize(Draw& d, Case& c) {
  const Shape x = d.image();
  const std::int64_t h = d.in(1, 12), w = d.in(1, 12);
  c.o.align_corners = d.chance(35);
  c.o.half_pixel_centers = !c.o.align_corners && d.chance(50);
  Tensor in = d.tensor(x, d.chance(35) ? Type::u8 : Type::i8), y = in;
  y.shape = {x[0], h, w, x[3]};
  c.in = {d.input(in), d.integers({h, w})};
  c.out = {y};
}

}  // namespace

bool draw_windowed(Draw& d, Case& c) {
  if (c.kind == "AVERAGE_POOL_2D" || c.kind == "GLOBAL_AVERAGE_POOL") return pool(d, c, true), true;
  if (c.kind == "MAX_POOL_2D" || c.kind == "GLOBAL_MAX_POOL") return pool(d, c, false), true;
  if (c.kind == "MEAN" || c.kind == "SUM" || c.kind == "REDUCE_MAX" || c.kind == "REDUCE_MIN")
    return reduce(d, c), true;
  if (c.kind == "ARG_MAX" || c.kind == "ARG_MIN") return argument(d, c), true;
  if (c.kind == "RESIZE_BILINEAR" || c.kind == "RESIZE_NEAREST_NEIGHBOR") return resize(d, c), true;
  return false;
}

}  // namespace dse::nn::random_ops
