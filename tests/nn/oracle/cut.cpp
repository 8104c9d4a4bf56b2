// Parts of a tensor: SPLIT, SPLIT_V, UNPACK, SLICE, STRIDED_SLICE, GATHER.
#include "families.h"

namespace dse::nn::oracle {
namespace {

void split(const Call& c, const Tensor& x, std::int64_t axis_given) {
  const auto axis = static_cast<std::size_t>(positive_axis(axis_given, x.shape.size()));
  std::int64_t first = 0;
  for (auto& y : c.out) {
    each(y.shape, [&](Index i) {
      i[axis] += first;
      y.q.push_back(at(x, i));
    });
    first += y.dim(axis);
  }
}

void unpack(const Call& c) {
  const Tensor& x = c.x();
  const int axis = positive_axis(c.o.axis, x.shape.size());
  for (std::size_t k = 0; k < c.out.size(); ++k)
    each(c.out[k].shape, [&](Index i) {
      i.insert(i.begin() + axis, static_cast<std::int64_t>(k));
      c.out[k].q.push_back(at(x, i));
    });
}

void slice(const Call& c) {
  each(c.y().shape, [&](Index i) {
    for (std::size_t d = 0; d < i.size(); ++d) i[d] += c.x(1).q.at(d);
    c.y().q.push_back(at(c.x(), i));
  });
}

/// begin, end, strides: the end only says how many, and the output's shape says that already.
void strided_slice(const Call& c) {
  const Tensor &x = c.x(), &begin = c.x(1), &stride = c.x(3);
  Index counts, first, step;
  for (std::size_t d = 0; d < x.shape.size(); ++d) {
    const std::int64_t n = x.shape[d], by = d < stride.q.size() ? stride.q[d] : 1;
    const bool shrink = c.o.shrink_axis_mask >> d & 1;
    const std::int64_t low = by > 0 ? 0 : -1, high = by > 0 ? n : n - 1;
    const auto bounded = [&](std::int64_t v) { return clamp(v < 0 ? v + n : v, low, high); };
    const bool given_begin = d < begin.q.size() && !(c.o.begin_mask >> d & 1);
    const bool given_end = d < c.x(2).q.size() && !(c.o.end_mask >> d & 1);
    const std::int64_t from = given_begin ? bounded(begin.q[d]) : by > 0 ? 0 : n - 1;
    const std::int64_t to = given_end ? bounded(c.x(2).q[d]) : by > 0 ? n : -1;
    std::int64_t count = 0;
    for (std::int64_t at = from; by > 0 ? at < to : at > to; at += by) ++count;
    first.push_back(from), step.push_back(by), counts.push_back(shrink ? 1 : count);
  }
  each(counts, [&](Index i) {
    for (std::size_t d = 0; d < i.size(); ++d) i[d] = first[d] + i[d] * step[d];
    c.y().q.push_back(at(x, i));
  });
}

void gather(const Call& c) {
  const Tensor &x = c.x(), &indices = c.x(1);
  const int axis = positive_axis(c.o.axis, x.shape.size());
  const auto many = static_cast<std::ptrdiff_t>(indices.shape.size());
  each(c.y().shape, [&](const Index& i) {
    const Index chosen(i.begin() + axis, i.begin() + axis + many);
    Index from(i.begin(), i.begin() + axis);
    from.push_back(at(indices, chosen));
    from.insert(from.end(), i.begin() + axis + many, i.end());
    c.y().q.push_back(at(x, from));
  });
}

}  // namespace

bool run_cut(const Call& c) {
  if (c.kind == "SPLIT") return split(c, c.x(1), c.x(0).q.at(0)), true;
  if (c.kind == "SPLIT_V") return split(c, c.x(0), c.x(2).q.at(0)), true;
  if (c.kind == "UNPACK") return unpack(c), true;
  if (c.kind == "SLICE") return slice(c), true;
  if (c.kind == "STRIDED_SLICE") return strided_slice(c), true;
  if (c.kind == "GATHER") return gather(c), true;
  return false;
}

}  // namespace dse::nn::oracle
