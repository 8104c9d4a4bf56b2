#include "plan/npu/schedule/cascades.h"

#include <algorithm>

#include "base/index.h"
#include "base/units.h"
#include "plan/npu/schedule/live.h"

namespace dse::plan::npu {
namespace {

/// Its operator was taken apart: what the pieces compute together is only known of all rows at once.
bool is_piece(const Costs& costs, int i) {
  const Operation& o = costs.op(i);
  const auto same = [&](int other) {
    return other >= 0 && other < costs.count() && costs.op(other).source == o.source;
  };
  return !o.writes_slice && !o.read && (same(i - 1) || same(i + 1));
}

bool cascadable(const Costs& costs, const OperationPlan& plan, int i) {
  const Operation& o = costs.op(i);
  const Unit u = o.unit();
  if (u == Unit::vector_product || u == Unit::reduce_sum || u == Unit::copy) return false;
  if (plan.stripe.h >= o.ofm_shape.h || o.read || o.upscale == Upscale::zeros || is_piece(costs, i)) return false;
  if (!hw::ethos_u::is_binary(o.function)) return true;
  const bool first = !costs.tensor(o.ifm).constant && o.ifm_shape.elements() > 1 && o.ifm_shape == o.ofm_shape;
  return first && (costs.tensor(o.ifm2).constant || o.ifm2_shape.elements() == 1);
}

std::int64_t in_bricks(Shape s, int bits) {
  s.c = static_cast<int>(round_up(s.c, 16));
  return s.elements() * bits / 8;
}

std::int64_t estimated_bytes(const Costs& costs, const OperationPlan& plan, int i, std::int64_t others) {
  const Operation& o = costs.op(i);
  const std::int64_t second = o.ifm2 >= 0 && !hw::ethos_u::is_binary(o.function) ? costs.bytes(o.ifm2) : 0;
  const std::int64_t in =
      whole_input(costs, o.ifm) ? costs.bytes(o.ifm) : in_bricks(plan.stripe_ifm, costs.tensor(o.ifm).bits);
  std::int64_t out = 0;
  if (in_place_of(costs, i) < 0)
    out = whole_output(costs, o) ? costs.bytes(o.ofm) : in_bricks(plan.stripe, costs.tensor(o.ofm).bits);
  return in + second + out + others;
}

int only_reader(const Costs& costs, int i) {
  const Tensor& t = costs.tensor(costs.op(i).ofm);
  return t.consumers.size() == 1 && !t.persists ? t.consumers[0] : -1;
}

/// The CPU runs something before this operation, so that a command stream ends there.
bool begins_stream(const Costs& costs, int i) {
  const auto& fallbacks = costs.graph().fallbacks;
  return std::any_of(fallbacks.begin(), fallbacks.end(), [&](const Fallback& f) { return f.before == i; });
}

/// Bytes of the buffer between two operations of a cascade, and its shape.
std::int64_t rolling_bytes(const Costs& costs, const Schedule& s, int producer, int consumer, Shape& shape) {
  const Operation& from = costs.op(producer);
  if (whole_output(costs, from) || whole_input(costs, costs.op(consumer).ifm)) {
    shape = from.ofm_shape;
    return std::max(costs.bytes(from.ofm), costs.bytes(costs.op(consumer).ifm));
  }
  const Shape &made = s.operations[index(producer)].stripe, &read = s.operations[index(consumer)].stripe_ifm;
  shape = {1, static_cast<int>(round_up(made.h + read.h, read.h)), std::max(made.w, read.w),
           static_cast<int>(round_up(made.c, 16))};
  return shape.elements() * costs.tensor(from.ofm).bits / 8;
}

}  // namespace

bool whole_input(const Costs& costs, int t) {
  return t >= 0 && (costs.tensor(t).persists || costs.format(t) == Format::nhwc);
}

bool whole_output(const Costs& costs, const Operation& o) {
  return whole_input(costs, o.ofm) || o.writes_slice || costs.tensor(o.ofm).consumers.size() > 1;
}

std::int64_t alone_bytes(const Costs& costs, const OperationPlan& plan, int i) {
  const Operation& o = costs.op(i);
  return costs.bytes(o.ifm) + costs.bytes(o.ofm) + plan.buffer_bytes();
}

Schedule whole_operations(Costs& costs) {
  Schedule out;
  for (int i = 0; i < costs.count(); ++i) out.operations.push_back(costs.plan(i, costs.op(i).ofm_shape.h));
  measure_usage(costs, out);
  return out;
}

Schedule smallest_stripes(Costs& costs) {
  Schedule out;
  out.operations.resize(index(costs.count()));
  int rows = 1;
  for (int i = costs.count() - 1; i >= 0; --i) {
    if (costs.op(i).upscale == Upscale::nearest) rows += rows % 2;
    out.operations[index(i)] = costs.plan(i, rows);
    rows = costs.op(i).kernel.stride_h;
  }
  return out;
}

Schedule with_stripes(Costs& costs, const Schedule& like, int first, int last, int rows) {
  Schedule out = like;
  out.cascades.clear();
  bool even = false;
  for (int i = first; i <= last; ++i) even = even || costs.op(i).upscale == Upscale::nearest;
  for (int i = last; i >= first; --i) {
    const OperationPlan& before = like.operations[index(i)];
    OperationPlan plan = costs.plan(i, rows);
    plan.staging = before.staging, plan.time = before.time;
    out.operations[index(i)] = plan;
    const int by = costs.op(i).upscale == Upscale::none ? 1 : 2, made = plan.stripe.h;
    rows = (made + (even ? made % 2 : made % by)) * costs.op(i).kernel.stride_h;
  }
  return out;
}

void build_cascades(Costs& costs, Schedule& striped, const Schedule& whole, int first, int last,
                    const std::vector<std::int64_t>& others, std::int64_t limit) {
  const bool spills = costs.npu().spills();
  const Schedule reference = striped;
  std::vector<bool> done(index(costs.count()), false);
  std::int64_t peak = limit;
  striped.cascades.clear();
  const auto alone = [&](int i) {
    const int time = reference.operations[index(i)].time;
    striped.operations[index(i)] = whole.operations[index(i)];
    striped.operations[index(i)].time = time;
    done[index(i)] = true;
    if (!spills) peak = std::max(peak, estimated_bytes(costs, whole.operations[index(i)], i, others[index(i)]));
  };
  for (int i = first; i <= last; ++i) {
    if (done[index(i)]) continue;
    if (!cascadable(costs, reference.operations[index(i)], i)) {
      alone(i);
      continue;
    }
    const std::int64_t first_ifm = spills ? 0 : costs.bytes(costs.op(i).ifm);
    std::int64_t buffers = reference.operations[index(i)].buffer_bytes();
    std::int64_t best = estimated_bytes(costs, whole.operations[index(i)], i, others[index(i)]);
    int best_end = i;
    for (int at = i;;) {
      const int next = only_reader(costs, at);
      if (next != at + 1 || next > last || done[index(next)] || begins_stream(costs, next)) break;
      const Operation &from = costs.op(at), &to = costs.op(next);
      if (to.ifm != from.ofm || !cascadable(costs, reference.operations[index(next)], next) ||
          from.ofm_shape != to.ifm_shape || whole_input(costs, to.ifm) || whole_output(costs, from))
        break;
      Shape rolling;
      buffers += rolling_bytes(costs, reference, at, next, rolling) + reference.operations[index(next)].buffer_bytes();
      const std::int64_t uncascaded = estimated_bytes(costs, whole.operations[index(next)], next, others[index(next)]);
      if (spills) {
        if (uncascaded < peak || buffers > peak) break;
        best_end = next, best = buffers;
      } else {
        const std::int64_t size = first_ifm + buffers + costs.bytes(to.ofm) + others[index(i)];
        if ((uncascaded < peak && best < peak) || first_ifm + buffers > best) break;
        if (size < best || size < uncascaded) best = size, best_end = next;
      }
      at = next;
    }
    if (best_end == i) {
      alone(i);
      continue;
    }
    Cascade made{.first = i, .last = best_end, .buffers = {}, .bytes = best - others[index(i)]};
    for (int k = i; k <= best_end; ++k) {
      striped.operations[index(k)] = reference.operations[index(k)];
      striped.operations[index(k)].cascade = best_end;
      done[index(k)] = true;
      if (k > i) rolling_bytes(costs, reference, k - 1, k, made.buffers[k]);
    }
    striped.cascades[best_end] = std::move(made);
    if (!spills) peak = std::max(peak, best);
  }
}

}  // namespace dse::plan::npu
