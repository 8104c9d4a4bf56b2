#include "plan/layer/whole/moves.h"

#include <algorithm>
#include <cstring>

namespace dse::plan {
namespace {

constexpr std::int64_t kMostCopies = 64;

/// A dimension of what is moved: its extent, and the elements from one coordinate to the next on both sides.
struct Dimension {
  std::int64_t extent, in, out;
};

/// Where arguments of GATHER and PAD begin (models/nn/kernels/movement).
constexpr int kOut = 1, kIn = 7, kThird = 13;

std::vector<std::int64_t> strides_of(const std::int32_t* extents, int rank) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(rank), 1);
  for (int d = rank - 1; d-- > 0;) out[d] = out[d + 1] * extents[d + 1];
  return out;
}

std::vector<nn::KernelCall> copies(const nn::KernelCall& call, std::vector<Dimension> dims, std::int64_t in_offset,
                                   std::int64_t out_offset) {
  // The smallest dimensions beyond three are gone through here.
  std::vector<Dimension> outer;
  std::int64_t count = 1;
  while (dims.size() > 3) {
    const auto least =
        std::min_element(dims.begin(), dims.end(), [](const auto& a, const auto& b) { return a.extent < b.extent; });
    count *= least->extent;
    outer.push_back(*least);
    dims.erase(least);
  }
  if (count > kMostCopies) return {call};
  while (dims.size() < 3) dims.insert(dims.begin(), {1, 0, 0});
  std::vector<nn::KernelCall> out;
  for (std::int64_t n = 0; n < count; ++n) {
    nn::KernelCall c = call;
    c.op.kind = DSE_COPY;
    std::fill(std::begin(c.op.arg), std::end(c.op.arg), 0);
    c.op.in_h = c.op.out_h = static_cast<std::int32_t>(dims[0].extent);
    c.op.in_w = c.op.out_w = static_cast<std::int32_t>(dims[1].extent);
    c.op.in_c = c.op.out_c = static_cast<std::int32_t>(dims[2].extent);
    c.tile = {{0, c.op.out_h}, {0, c.op.out_w}, {0, c.op.out_c}, {0, c.op.in_c}, DSE_FIRST | DSE_LAST};
    std::int64_t rest = n, from = in_offset, to = out_offset;
    for (const auto& d : outer) {
      from += rest % d.extent * d.in, to += rest % d.extent * d.out;
      rest /= d.extent;
    }
    const auto place = [&](dse_role role, std::int64_t first, std::int64_t Dimension::*step) {
      auto& o = c.operands[role];
      const std::int64_t elem = o.view.elem;
      o.offset += first * elem;
      o.view.stride_h = static_cast<std::int32_t>(dims[0].*step * elem);
      o.view.stride_w = static_cast<std::int32_t>(dims[1].*step * elem);
      o.view.stride_c = static_cast<std::int32_t>(dims[2].*step * elem);
    };
    place(DSE_IN0, from, &Dimension::in), place(DSE_OUT, to, &Dimension::out);
    out.push_back(c);
  }
  return out;
}

/// Its border is of one byte's value, and around at most three dimensions.
bool can_be_filled(const nn::KernelCall& padding) {
  const auto* value = reinterpret_cast<const std::uint8_t*>(&padding.op.arg[19]);
  const int elem = padding.operands[DSE_OUT].view.elem;
  return padding.op.arg[0] <= 3 && elem <= 8 && std::all_of(value, value + elem, [&](auto v) { return v == *value; });
}

}  // namespace

std::vector<nn::KernelCall> moves_of(const nn::KernelCall& call) {
  const auto& op = call.op;
  if (op.kind != DSE_GATHER && (op.kind != DSE_PAD || !can_be_filled(call))) return {call};
  const int rank = op.arg[0];
  const auto* extents = op.kind == DSE_GATHER ? op.arg + kOut : op.arg + kIn;
  const auto out = strides_of(op.arg + kOut, rank);
  std::vector<Dimension> dims;
  std::int64_t from = 0, to = 0;
  if (op.kind == DSE_GATHER) {
    from = op.arg[kThird];
    for (int d = 0; d < rank; ++d) dims.push_back({extents[d], op.arg[kIn + d], out[d]});
  } else {
    const auto in = strides_of(extents, rank);
    for (int d = 0; d < rank; ++d) dims.push_back({extents[d], in[d], out[d]}), to += op.arg[kThird + d] * out[d];
  }
  if (std::any_of(dims.begin(), dims.end(), [](const auto& d) { return d.in < 0; })) return {call};
  return copies(call, std::move(dims), from, to);
}

std::vector<BorderRun> border_runs(const nn::KernelCall& padding) {
  const auto& op = padding.op;
  const int rank = op.arg[0];
  const auto stride = strides_of(op.arg + kOut, rank);
  const std::int64_t elem = padding.operands[DSE_OUT].view.elem;
  std::vector<BorderRun> out;
  for (int d = 0; d < rank; ++d) {
    const std::int64_t before = op.arg[kThird + d], end = before + op.arg[kIn + d];
    for (const auto& [lo, hi] : {std::pair<std::int64_t, std::int64_t>{0, before}, {end, op.arg[kOut + d]}}) {
      if (lo == hi) continue;
      BorderRun r{lo * stride[d] * elem, (hi - lo) * stride[d] * elem};
      if (d > 0) r.count_h = op.arg[kIn], r.stride_h = stride[0] * elem, r.offset += op.arg[kThird] * stride[0] * elem;
      if (d > 1)
        r.count_w = op.arg[kIn + 1], r.stride_w = stride[1] * elem, r.offset += op.arg[kThird + 1] * stride[1] * elem;
      out.push_back(r);
    }
  }
  return out;
}

}  // namespace dse::plan
