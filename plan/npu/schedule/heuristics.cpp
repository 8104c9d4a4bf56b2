#include "plan/npu/schedule/heuristics.h"

#include <algorithm>

#include "base/index.h"
#include "plan/npu/schedule/buffering.h"
#include "plan/npu/schedule/cascades.h"
#include "plan/npu/schedule/fast_memory.h"
#include "plan/npu/schedule/live.h"

namespace dse::plan::npu {
namespace {

/// Bytes of the largest operation whose tensors must be whole.
std::int64_t least_limit(const Costs& costs) {
  std::int64_t most = 0;
  for (int i = 0; i < costs.count(); ++i) {
    const Operation& o = costs.op(i);
    most = std::max(most, (whole_input(costs, o.ifm) ? costs.bytes(o.ifm) : 0) +
                              (whole_input(costs, o.ifm2) ? costs.bytes(o.ifm2) : 0) +
                              (whole_output(costs, o) ? costs.bytes(o.ofm) : 0));
  }
  return most;
}

/// Bytes that lie in the fast memory beside an operation's own.
std::vector<std::int64_t> others_of(const Costs& costs, const Schedule& s) {
  std::vector<std::int64_t> out;
  for (int i = 0; i < costs.count(); ++i) {
    const Operation& o = costs.op(i);
    std::int64_t own = 0;
    if (!costs.npu().spills())
      own = (costs.in_fast(o.ifm) ? costs.bytes(o.ifm) : 0) + (in_place_of(costs, i) >= 0 ? 0 : costs.bytes(o.ofm));
    out.push_back(std::max<std::int64_t>(0, s.usage_at(s.operations[index(i)].time) - own));
  }
  return out;
}

/// What the schedule takes where operations [first, last] run, whether cascaded or not.
std::int64_t usage_of(const Costs& costs, const Schedule& s, int first, int last,
                      const std::vector<std::int64_t>& others) {
  std::int64_t peak = 0;
  for (int i = first; i <= last; ++i) {
    const OperationPlan& plan = s.operations[index(i)];
    const std::int64_t own = plan.cascade ? s.cascades.at(plan.cascade).bytes : alone_bytes(costs, plan, i);
    peak = std::max(peak, own + others[index(i)]);
  }
  return peak;
}

/// Larger stripes for one cascade, as long as it stays one and fits.
void enlarge(Costs& costs, Schedule& schedule, const Cascade& cascade, const Schedule& whole, std::int64_t limit) {
  const int first = cascade.first, last = cascade.last;
  const Operation& begin = costs.op(first);
  const std::int64_t beside = schedule.usage_at(schedule.operations[index(first)].time) - cascade.bytes;
  const bool stays = !costs.npu().spills() && costs.tensor(begin.ifm).consumers.size() > 1;
  std::vector<std::int64_t> others(index(costs.count()), 0);
  for (int i = first; i <= last; ++i) others[index(i)] = beside + (stays && i > first ? costs.bytes(begin.ifm) : 0);
  Schedule part = schedule;
  part.cascades = {{last, cascade}};
  Schedule staged = stage_weights(costs, part, first, last, limit);
  std::size_t most = 0;
  const int rows = schedule.operations[index(last)].stripe.h, whole_rows = costs.op(last).ofm_shape.h;
  bool found = false;
  Schedule best;
  for (int h = rows + 1; h <= whole_rows / 2; ++h) {
    Schedule proposed = with_stripes(costs, staged, first, last, h);
    build_cascades(costs, proposed, whole, first, last, others, limit);
    if (h == rows + 1) most = proposed.cascades.size();
    if (usage_of(costs, proposed, first, last, others) > limit || proposed.cascades.size() > most) break;
    best = std::move(proposed), found = true;
    if (best.cascades.empty()) break;
  }
  if (!found) return;
  schedule.cascades.erase(last);
  for (int i = first; i <= last; ++i) schedule.operations[index(i)] = best.operations[index(i)];
  for (auto& [end, made] : best.cascades) schedule.cascades[end] = made;
}

}  // namespace

Schedule schedule_by_rule(Costs& costs, Optimise optimise) {
  constexpr std::int64_t kNoLimit = std::int64_t{1} << 32;
  std::int64_t limit = costs.npu().arena_limit;
  const int last = costs.count() - 1;
  const Schedule whole = whole_operations(costs);
  Schedule fastest = stage_weights(costs, whole, 0, last, kNoLimit);
  measure_usage(costs, fastest);
  // As fast as it gets, where that fits.
  if (optimise == Optimise::performance && !costs.npu().spills() && fastest.peak() < limit) return fastest;

  Schedule least = smallest_stripes(costs);
  measure_usage(costs, least);
  build_cascades(costs, least, whole, 0, last, others_of(costs, least),
                 optimise == Optimise::size ? least_limit(costs) : limit);
  measure_usage(costs, least);
  if (optimise == Optimise::size) limit = least.peak();
  if (fastest.peak() < limit && !costs.npu().spills()) return fastest;
  const auto cascades = least.cascades;
  for (const auto& [end, cascade] : cascades) enlarge(costs, least, cascade, whole, limit);
  measure_usage(costs, least);
  Schedule out = stage_weights(costs, least, 0, last, limit);
  out.cascades = least.cascades;
  measure_usage(costs, out);
  if (costs.npu().spills()) use_fast_memory(costs, out, limit);
  return out;
}

}  // namespace dse::plan::npu
