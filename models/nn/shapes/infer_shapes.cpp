#include "models/nn/shapes/infer_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "models/nn/graph/derivation.h"
#include "models/nn/shapes/infer_shapes_internal.h"

namespace dse::nn {

bool broadcast_shapes(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b,
                      std::vector<std::int64_t>& out) {
  std::vector<std::int64_t> made(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 0; i < made.size(); ++i) {
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return false;
    made[made.size() - 1 - i] = x == 1 ? y : x;
  }
  out = std::move(made);
  return true;
}

namespace {

using shapes::Inference;
using Shape = std::vector<std::int64_t>;

bool same(Inference& f) { return f.make(f.in(0)); }

bool broadcast(Inference& f) {
  Shape out = f.in(0);
  for (std::size_t i = 1; i < f.op.inputs.size(); ++i)
    if (!broadcast_shapes(out, f.in(i), out))
      return f.fail(fmt::format("shapes {} and {} cannot be broadcast", text_of(out), text_of(f.in(i))));
  if (f.op.kind == OperatorKind::prelu && out != f.in(0))
    return f.fail(fmt::format("slopes {} do not fit the input {}", text_of(f.in(1)), text_of(f.in(0))));
  return f.make(std::move(out));
}

bool concatenation(Inference& f) {
  Shape out = f.in(0);
  if (!f.axis_below(f.op.options.axis, out.size())) return false;
  const auto axis = static_cast<std::size_t>(f.op.options.axis);
  for (std::size_t i = 1; i < f.op.inputs.size(); ++i) {
    Shape rest = f.in(i);
    if (rest.size() != out.size()) return f.fail(fmt::format("cannot join {} and {}", text_of(f.in(0)), text_of(rest)));
    const std::int64_t extent = out[axis] + rest[axis];
    rest[axis] = out[axis];
    if (rest != out)
      return f.fail(fmt::format("cannot join {} and {} along axis {}", text_of(f.in(0)), text_of(f.in(i)), axis));
    out[axis] = extent;
  }
  return f.make(std::move(out));
}

bool pack(Inference& f) {
  Shape out = f.in(0);
  if (!f.axis_below(f.op.options.axis, out.size() + 1)) return false;
  for (std::size_t i = 1; i < f.op.inputs.size(); ++i)
    if (f.in(i) != out) return f.fail(fmt::format("cannot pack {} and {}", text_of(out), text_of(f.in(i))));
  out.insert(out.begin() + f.op.options.axis, static_cast<std::int64_t>(f.op.inputs.size()));
  return f.make(std::move(out));
}

bool unpack(Inference& f) {
  Shape out = f.in(0);
  if (!f.axis_below(f.op.options.axis, out.size())) return false;
  const auto axis = out.begin() + f.op.options.axis;
  if (*axis != static_cast<std::int64_t>(f.op.outputs.size()))
    return f.fail(fmt::format("{} outputs of an axis of {}", f.op.outputs.size(), *axis));
  out.erase(axis);
  for (std::size_t i = 0; i < f.op.outputs.size(); ++i)
    if (!f.make(out)) return false;
  return true;
}

bool split(Inference& f) {
  const auto& o = f.op.options;
  Shape out = f.in(0);
  if (!f.axis_below(o.axis, out.size())) return false;
  if (o.sizes.size() != f.op.outputs.size())
    return f.fail(fmt::format("{} sizes for {} outputs", o.sizes.size(), f.op.outputs.size()));
  const auto axis = static_cast<std::size_t>(o.axis);
  std::int64_t left = out[axis];
  for (const auto size : o.sizes) {
    if (size < 1 || size > left)
      return f.fail(fmt::format("parts {} do not fit axis {} of {}", text_of(o.sizes), o.axis, text_of(f.in(0))));
    left -= size;
    out[axis] = size;
    if (!f.make(out)) return false;
  }
  if (left != 0)
    return f.fail(fmt::format("parts {} do not fill axis {} of {}", text_of(o.sizes), o.axis, text_of(f.in(0))));
  return true;
}

bool matmul(Inference& f) {
  Shape a = f.in(0), b = f.in(1);
  if (a.size() < 2 || b.size() < 2)
    return f.fail(fmt::format("matrices {} and {} need two dimensions", text_of(a), text_of(b)));
  if (f.op.options.adj_x) std::swap(a[a.size() - 1], a[a.size() - 2]);
  if (f.op.options.adj_y) std::swap(b[b.size() - 1], b[b.size() - 2]);
  if (a.back() != b[b.size() - 2])
    return f.fail(fmt::format("matrices {} and {} do not fit each other", text_of(f.in(0)), text_of(f.in(1))));
  const std::int64_t rows = a[a.size() - 2], columns = b.back();
  Shape out;
  if (!broadcast_shapes({a.begin(), a.end() - 2}, {b.begin(), b.end() - 2}, out))
    return f.fail(fmt::format("batches of {} and {} cannot be broadcast", text_of(f.in(0)), text_of(f.in(1))));
  out.push_back(rows);
  out.push_back(columns);
  return f.make(std::move(out));
}

bool gemm(Inference& f) {
  if (!f.rank_is(0, 2, "A") || !f.rank_is(1, 2, "B")) return false;
  Shape a = f.in(0), b = f.in(1), sum;
  if (f.op.options.adj_x) std::swap(a[0], a[1]);
  if (f.op.options.adj_y) std::swap(b[0], b[1]);
  if (a[1] != b[0])
    return f.fail(fmt::format("matrices {} and {} do not fit each other", text_of(f.in(0)), text_of(f.in(1))));
  const Shape out{a[0], b[1]};
  if (f.has(2) && (!broadcast_shapes(out, f.in(2), sum) || sum != out))
    return f.fail(fmt::format("C {} cannot be broadcast to {}", text_of(f.in(2)), text_of(out)));
  return f.make(out);
}

bool fully_connected(Inference& f) {
  if (!f.rank_is(1, 2, "weights")) return false;
  const Shape &x = f.in(0), &w = f.in(1);
  const std::int64_t elements = f.elements(x);
  if (w[1] < 1 || elements % w[1] != 0)
    return f.fail(fmt::format("weights {} do not fit the input {}", text_of(w), text_of(x)));
  if (f.has(2) && f.elements(f.in(2)) != w[0])
    return f.fail(fmt::format("bias {} does not fit the weights {}", text_of(f.in(2)), text_of(w)));
  const std::int64_t rows = elements / w[1];
  const Shape& known = f.known(0);
  if (known.empty()) return f.make({rows, w[0]});
  if (known.back() != w[0] || f.elements(known) != rows * w[0])
    return f.fail(fmt::format("output {} is not {} rows of {}", text_of(known), rows, w[0]));
  return f.make(known);
}

bool reshape(Inference& f) {
  const Shape& known = f.known(0);
  if (f.elements(known) != f.elements(f.in(0)))
    return f.fail(fmt::format("{} cannot become {}", text_of(f.in(0)), text_of(known)));
  return f.make(known);
}

bool batch_normalization(Inference& f) {
  const Shape& x = f.in(0);
  if (x.size() < (f.op.options.channels_first ? 2u : 1u))
    return f.fail(fmt::format("input {} has no channels", text_of(x)));
  const std::int64_t channels = f.op.options.channels_first ? x[1] : x.back();
  for (std::size_t i = 1; i < 5; ++i)
    if (f.in(i) != Shape{channels})
      return f.fail(fmt::format("parameter {} has shape {}, not [{}]", i, text_of(f.in(i)), channels));
  return f.make(x);
}

bool svdf(Inference& f) {
  if (!f.rank_is(0, 2, "input") || !f.rank_is(1, 2, "feature weights") || !f.rank_is(2, 2, "time weights"))
    return false;
  const Shape &x = f.in(0), &features = f.in(1), &time = f.in(2);
  const std::int64_t rank = f.op.options.rank;
  if (features[1] != x[1] || time[0] != features[0] || rank < 1 || features[0] % rank != 0)
    return f.fail(fmt::format("weights {} and {} of rank {} do not fit the input {}", text_of(features), text_of(time),
                              rank, text_of(x)));
  return f.make({x[0], features[0] / rank});
}

bool lstm(Inference& f) {
  if (f.op.inputs.size() < 9 || !f.has(6)) return f.fail("has no recurrent weights");
  if (!f.rank_is(0, 3, "input") || !f.rank_is(6, 2, "recurrent weights")) return false;
  return f.make({f.in(0)[0], f.in(0)[1], f.in(6)[1]});
}

bool along_axis(Inference& f) {
  if (f.in(0).empty()) return f.fail("a scalar has no axis");
  return f.axis_below(f.op.options.axis, f.in(0).size()) && same(f);
}

bool lrn(Inference& f) {
  if (f.op.options.size < 1) return f.fail(fmt::format("size {} is below 1", f.op.options.size));
  if (f.in(0).size() < 2) return f.fail(fmt::format("input {} has no channels", text_of(f.in(0))));
  return same(f);
}

bool copy(Inference& f) {
  if (f.op.kind == OperatorKind::reshape) return reshape(f);
  if (f.op.kind == OperatorKind::squeeze) return shapes::squeeze(f);
  return f.op.kind == OperatorKind::expand_dims ? shapes::expand_dims(f) : same(f);
}

bool unknown(Inference& f) { return f.fail("the shapes that this operator makes are not known"); }

/// By family.
constexpr std::array<bool (*)(Inference&), operator_families> inferences = [] {
  std::array<bool (*)(Inference&), operator_families> by{};
  const auto set = [&](OperatorFamily f, bool (*infer)(Inference&)) { by[static_cast<std::size_t>(f)] = infer; };
  using F = OperatorFamily;
  set(F::convolution, shapes::convolution);
  set(F::transpose_conv, shapes::transposed_convolution);
  set(F::fully_connected, fully_connected);
  set(F::gemm, gemm);
  set(F::batch_matmul, matmul);
  set(F::pool, shapes::pool);
  set(F::global_pool, shapes::global_pool);
  set(F::unary, same);
  set(F::binary, broadcast);
  set(F::add_n, broadcast);
  set(F::batch_normalization, batch_normalization);
  set(F::lrn, lrn);
  set(F::quantize, same);
  set(F::softmax, along_axis);
  set(F::log_softmax, along_axis);
  set(F::l2_normalization, along_axis);
  set(F::copy, copy);
  set(F::concatenation, [](Inference& i) { return i.op.kind == OperatorKind::pack ? pack(i) : concatenation(i); });
  set(F::split, [](Inference& i) { return i.op.kind == OperatorKind::unpack ? unpack(i) : split(i); });
  set(F::transpose, shapes::transpose);
  set(F::slice, shapes::slice);
  set(F::pad, shapes::pad);
  set(F::reduction, shapes::reduction);
  set(F::arg_extreme, shapes::arg_extreme);
  set(F::resize, shapes::resize);
  set(F::svdf, svdf);
  set(F::lstm, lstm);
  set(F::circulant, shapes::circulant);
  set(F::other, unknown);
  return by;
}();

}  // namespace

bool infer_shapes(const Network& n, const Operator& op, std::vector<std::vector<std::int64_t>>& out, std::string& why) {
  out.clear();
  Inference f{n, op, out, why};
  for (std::size_t i = 0; i < op.inputs.size(); ++i)
    if (f.has(i) && f.elements(f.in(i)) < 0) return f.fail(fmt::format("input {} has shape {}", i, text_of(f.in(i))));
  return inferences[static_cast<std::size_t>(facts_of(op.kind).family)](f);
}

}  // namespace dse::nn
