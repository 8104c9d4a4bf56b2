// What moves values: pads, concatenations, cuts, transpositions.
#include <algorithm>
#include <numeric>

#include "cases.h"

namespace dse::nn::random_ops {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

void pad(Draw& d, Case& c, bool mirror) {
  Tensor x = d.tensor(d.any_rank(), d.activations(true, true)), y = x;
  const std::size_t rank = x.shape.size();
  c.o.symmetric = d.chance(50);
  std::vector<std::int64_t> pads;
  for (std::size_t i = 0; i < rank; ++i)
    for (int side = 0; side < 2; ++side) {
      const std::int64_t most = mirror ? x.shape[i] - (c.o.symmetric ? 0 : 1) : 3;
      pads.push_back((i == 0 && rank > 3) || d.chance(40) ? 0 : d.in(0, std::min<std::int64_t>(3, most)));
    }
  for (std::size_t i = 0; i < rank; ++i) y.shape[i] += pads[2 * i] + pads[2 * i + 1];
  c.in = {d.input(x), d.integers(pads)};
  c.in[1].tensor.shape = {static_cast<std::int64_t>(rank), 2};
  if (c.kind == "PADV2") {
    Tensor value = x;
    value.shape = {1};
    c.in.push_back(d.constant(value));
  }
  c.out = {y};
}

void concatenate(Draw& d, Case& c) {
  const Shape common = d.any_rank();
  const std::int64_t rank = std::ssize(common), axis = d.chance(60) ? rank - 1 : d.in(0, rank - 1);
  c.o.axis = static_cast<int>(d.chance(30) ? axis - rank : axis);
  const bool rescales = d.mode == Mode::onnx || d.mode == Mode::qformat;
  const Type t = d.activations(true, d.mode == Mode::onnx);
  Tensor y = d.tensor(common, t);
  y.shape[at(axis)] = 0;
  const auto n = d.in(1, 5);
  for (std::int64_t i = 0; i < n; ++i) {
    Tensor x = y;
    if (rescales && d.chance(70)) x = d.tensor(common, t);
    x.shape = common;
    x.shape[at(axis)] = d.in(1, 6);
    y.shape[at(axis)] += x.shape[at(axis)];
    c.in.push_back(i > 0 && d.chance(10) ? d.constant(x) : d.input(x));
  }
  c.out = {y};
}

void pack(Draw& d, Case& c, bool unpack) {
  Shape part = d.image();
  part.erase(part.begin());
  const std::int64_t axis = d.in(0, 3), n = d.in(1, 4);
  c.o.axis = static_cast<int>(d.chance(30) ? axis - 4 : axis);
  Shape whole = part;
  whole.insert(whole.begin() + axis, n);
  Tensor one = d.tensor(part, d.activations(true, true)), all = one;
  all.shape = whole;
  if (unpack) {
    c.in = {d.input(all)};
    c.out.assign(at(n), one);
    return;
  }
  for (std::int64_t i = 0; i < n; ++i) c.in.push_back(d.input(one));
  c.out = {all};
}

void split(Draw& d, Case& c) {
  Shape part = d.any_rank();
  const std::int64_t rank = std::ssize(part), axis = d.in(0, rank - 1), n = d.in(1, 4);
  Tensor one = d.tensor(part, d.activations(true, true)), all = one;
  const bool equal = d.chance(50);
  all.shape[at(axis)] = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    if (!equal) one.shape[at(axis)] = d.in(1, 5);
    all.shape[at(axis)] += one.shape[at(axis)];
    c.out.push_back(one);
  }
  c.in = {d.integers({d.chance(30) ? axis - rank : axis}), d.input(all)};
  c.in[0].tensor.shape = {};
}

void strided_slice(Draw& d, Case& c) {
  const Shape x = d.any_rank();
  Tensor in = d.tensor(x, d.activations(true, true)), y = in;
  y.shape.clear();
  std::vector<std::int64_t> begin, end, stride;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::int64_t n = x[i], by = d.chance(15) ? -d.in(1, 2) : d.in(1, 3);
    std::int64_t from = d.in(0, n - 1), to = by > 0                     ? d.in(from + 1, n)
                                             : from > 0 && d.chance(70) ? d.in(0, from - 1)
                                                                        : -1;
    if (d.chance(20) || to < 0) c.o.end_mask |= 1 << i, to = by > 0 ? n : -1;
    if (d.chance(20)) c.o.begin_mask |= 1 << i, from = by > 0 ? 0 : n - 1;
    const bool shrink = by == 1 && d.chance(15);
    if (shrink) c.o.shrink_axis_mask |= 1 << i, c.o.end_mask &= ~(1 << i), c.o.begin_mask &= ~(1 << i), to = from + 1;
    if (!shrink) y.shape.push_back(by > 0 ? (to - from + by - 1) / by : (from - to - by - 1) / -by);
    // Counted from the end, at times.
    begin.push_back(d.chance(20) ? from - n : from);
    end.push_back(to < 0 ? 0 : to < n && d.chance(20) ? to - n : to);
    stride.push_back(by);
  }
  c.in = {d.input(in), d.integers(begin), d.integers(end), d.integers(stride)};
  c.out = {y};
}

void transpose(Draw& d, Case& c) {
  Tensor x = d.tensor(d.any_rank(), d.activations(true, true)), y = x;
  std::vector<std::int64_t> order(x.shape.size());
  std::iota(order.begin(), order.end(), 0);
  for (std::int64_t i = std::ssize(order) - 1; i > 0; --i) std::swap(order[at(i)], order[at(d.in(0, i))]);
  for (std::size_t i = 0; i < order.size(); ++i) y.shape[i] = x.shape[at(order[i])];
  c.in = {d.input(x), d.integers(order)};
  c.out = {y};
}

void reshape(Draw& d, Case& c) {
  Tensor x = d.tensor(d.image(), d.activations(true, true)), y = x;
  if (c.kind == "RESHAPE") {
    y.shape = d.one_of<Shape>({{x.elements()}, {x.shape[0], x.elements() / x.shape[0]}, {1, x.elements(), 1, 1}});
    c.in = {d.input(x), d.integers(y.shape)};
  } else if (c.kind == "SQUEEZE") {
    x.shape[1] = 1;
    y.shape = {x.shape[0], x.shape[2], x.shape[3]};
    c.in = {d.input(x)};
    c.o.axis = 1;
  } else {
    const std::int64_t axis = d.in(0, 3);
    x.shape.erase(x.shape.begin()), y.shape = x.shape;
    y.shape.insert(y.shape.begin() + axis, 1);
    c.in = {d.input(x), d.integers({axis})};
  }
  c.out = {y};
}

}  // namespace

bool draw_shaped(Draw& d, Case& c) {
  const std::string& k = c.kind;
  if (k == "PAD" || k == "PADV2") return pad(d, c, false), true;
  if (k == "MIRROR_PAD") return pad(d, c, true), true;
  if (k == "CONCATENATION") return concatenate(d, c), true;
  if (k == "PACK" || k == "UNPACK") return pack(d, c, k == "UNPACK"), true;
  if (k == "SPLIT") return split(d, c), true;
  if (k == "STRIDED_SLICE") return strided_slice(d, c), true;
  if (k == "TRANSPOSE") return transpose(d, c), true;
  if (k == "RESHAPE" || k == "SQUEEZE" || k == "EXPAND_DIMS") return reshape(d, c), true;
  return false;
}

}  // namespace dse::nn::random_ops
