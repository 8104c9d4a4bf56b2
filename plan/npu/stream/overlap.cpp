#include "plan/npu/stream/overlap.h"

#include <algorithm>
#include <vector>

#include "base/index.h"
#include "models/hw/ethos_u/shram.h"

namespace dse::plan::npu {
namespace {

using namespace hw::ethos_u;

constexpr int kMostAhead = 3;

struct Box {
  int y0, y1, x0, x1, c0, c1;
  bool meets(const Box& o) const { return y0 < o.y1 && o.y0 < y1 && x0 < o.x1 && o.x0 < x1 && c0 < o.c1 && o.c0 < c1; }
};

/// Blocks of a part in the order in which they are made: channels inside.
std::vector<Box> blocks_of(const Operation& o, const Block& b, const Part& p) {
  std::vector<Box> out;
  for (int y = p.y0; y < p.y1; y += b.h)
    for (int x = 0; x < o.ofm_shape.w; x += b.w)
      for (int c = p.c0; c < p.c1; c += b.c)
        out.push_back({y, std::min(p.y1, y + b.h), x, std::min(o.ofm_shape.w, x + b.w), c, std::min(p.c1, c + b.c)});
  return out;
}

Box read_by(const Operation& o, const Box& b) {
  const Rows rows = input_rows(o, b.y0, b.y1);
  const int by = o.upscale == Upscale::none ? 1 : 2;
  const int x0 = std::max(0, b.x0 * o.kernel.stride_w - o.padding.left) / by;
  const int x1 =
      std::min(o.ifm_shape.w, ((b.x1 - 1) * o.kernel.stride_w - o.padding.left + o.kernel.columns() + by - 1) / by);
  const bool whole = !by_channel(o.unit()) || o.ifm_shape.c != o.ofm_shape.c;
  return {rows.from, rows.to, x0, x1, whole ? 0 : b.c0, whole ? o.ifm_shape.c : b.c1};
}

bool overlap(const Costs& costs, const Places& places, int a, int b) {
  if (a < 0 || b < 0 || costs.tensor(a).constant || costs.tensor(b).constant || costs.area(a) != costs.area(b))
    return false;
  const std::int64_t x = places.tensor[index(a)], y = places.tensor[index(b)];
  if (x < 0 || y < 0) return false;
  return x < y + costs.bytes(b) && y < x + costs.bytes(a);
}

}  // namespace

Rows input_rows(const Operation& o, int y0, int y1) {
  const int by = o.upscale == Upscale::none ? 1 : 2, extra = o.upscale == Upscale::nearest ? 1 : 0;
  const int begin = y0 * o.kernel.stride_h - o.padding.top,
            end = (y1 - 1) * o.kernel.stride_h - o.padding.top + o.kernel.rows() + extra;
  Rows out;
  out.pad_before = std::max(0, -begin);
  out.from = std::clamp(begin < 0 ? 0 : begin / by, 0, o.ifm_shape.h);
  out.to = std::clamp((end + by - 1) / by, 0, o.ifm_shape.h);
  out.pad_after = std::max(0, end - o.ifm_shape.h * by);
  return out;
}

int blocks_ahead(const Costs& costs, const Schedule& s, const Places& places, const Part& before, const Part& next) {
  const Operation &b = costs.op(before.operation), &n = costs.op(next.operation);
  // What is written in place of something that is still read.
  if (before.operation != next.operation &&
      (overlap(costs, places, n.ofm, b.ifm) || overlap(costs, places, n.ofm, b.ifm2)))
    return 0;
  if (b.activation == Activation::table || n.activation == Activation::table)
    return 0;  // the table would change under it
  if (n.ifm2 >= 0 && overlap(costs, places, n.ifm2, b.ofm)) return 0;
  if (!overlap(costs, places, n.ifm, b.ofm)) return kMostAhead;
  if (n.ifm != b.ofm || n.ifm_shape != b.ofm_shape || b.write || n.read) return 0;
  const auto made = blocks_of(b, s.operations[index(before.operation)].block.ofm, before);
  const auto reads = blocks_of(n, s.operations[index(next.operation)].block.ofm, next);
  const std::size_t last = made.size() > kMostAhead ? made.size() - kMostAhead : 0;
  for (int ahead = 0; ahead < kMostAhead && index(ahead) < reads.size(); ++ahead) {
    const Box box = read_by(n, reads[index(ahead)]);
    for (std::size_t i = last; i < made.size(); ++i)
      if (box.meets(made[i])) return ahead;
  }
  return kMostAhead;
}

}  // namespace dse::plan::npu
