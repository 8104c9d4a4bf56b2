#include "plan/npu/schedule/fast_memory.h"

#include <algorithm>
#include <tuple>

#include "base/index.h"
#include "plan/npu/schedule/live.h"

namespace dse::plan::npu {
namespace {

using namespace hw::ethos_u;

constexpr std::size_t kMostTogether = 20;  // ranges that are tried in all combinations
constexpr int kLongRange = 20;             // times

using Usage = std::vector<std::int64_t>;

std::int64_t peak(const Usage& u, const LiveRange& r) {
  return *std::max_element(u.begin() + r.first, u.begin() + r.last + 1);
}
void change(Usage& u, const LiveRange& r, std::int64_t by) {
  for (int t = r.first; t <= r.last; ++t) u[index(t)] += by;
}

/// Chooses among ranges that compete: which stay so that the accesses of those that do are the most.
class Choice {
 public:
  Choice(std::vector<const LiveRange*> ranges, std::vector<std::int64_t> worth, Usage least, Usage most,
         std::int64_t limit)
      : ranges_(std::move(ranges)),
        worth_(std::move(worth)),
        least_(std::move(least)),
        most_(std::move(most)),
        limit_(limit),
        out_(ranges_.size(), false),
        now_(ranges_.size(), false) {}

  /// True for those that leave.
  std::vector<bool> run() && {
    consider(0, 0);
    return out_;
  }

 private:
  void consider(std::size_t i, std::int64_t score) {
    if (i == ranges_.size()) {
      if (score > best_) best_ = score, out_ = now_;
      return;
    }
    const LiveRange& r = *ranges_[i];
    if (peak(least_, r) + r.bytes <= limit_) {
      now_[i] = false;
      change(least_, r, r.bytes);
      consider(i + 1, score + worth_[i]);
      change(least_, r, -r.bytes);
    }
    if (peak(most_, r) > limit_) {
      now_[i] = true;
      change(most_, r, -r.bytes);
      consider(i + 1, score);
      change(most_, r, r.bytes);
    }
  }

  std::vector<const LiveRange*> ranges_;
  std::vector<std::int64_t> worth_;
  Usage least_, most_;  // with those that stay for sure, with those that may
  std::int64_t limit_, best_ = -1;
  std::vector<bool> out_, now_;
};

/// Elements that operations read and write of a tensor.
std::int64_t accesses_of(const Costs& costs, const Schedule& s, int tensor) {
  std::int64_t sum = 0;
  for (int i = 0; i < costs.count(); ++i) {
    const Operation& o = costs.op(i);
    if (o.ifm != tensor && o.ifm2 != tensor && o.ofm != tensor) continue;
    const Accesses a = accesses(costs.job(i, Npu::fast()), s.operations[index(i)].block);
    sum += (o.ifm == tensor ? a.ifm : 0) + (o.ifm2 == tensor ? a.ifm2 : 0) + (o.ofm == tensor ? a.ofm : 0);
  }
  return sum;
}

/// Puts every tensor between two operations there, and the rolling buffers of cascades. @returns those that may leave
/// again.
std::vector<bool> move_all(Costs& costs, const Schedule& s) {
  std::vector<bool> out(costs.graph().tensors.size(), false);
  for (int i = 0; i < costs.count(); ++i) {
    const Operation& o = costs.op(i);
    const OperationPlan& plan = s.operations[index(i)];
    if (const Cascade* cascade = s.cascade_of(plan); cascade && cascade->buffers.count(i))
      costs.set_area(o.ifm, Npu::fast());
    const Tensor& t = costs.tensor(o.ofm);
    if (plan.cascade || t.consumers.empty() || t.persists || t.variable) continue;
    costs.set_area(o.ofm, Npu::fast());
    out[index(o.ofm)] = true;
  }
  return out;
}

}  // namespace

void use_fast_memory(Costs& costs, Schedule& schedule, std::int64_t limit) {
  const std::vector<bool> moved = move_all(costs, schedule);
  measure_usage(costs, schedule);
  if (schedule.peak() <= limit) return;
  std::vector<LiveRange> ranges = live_ranges(costs, schedule);
  Usage most = schedule.usage, least = most;
  std::vector<const LiveRange*> candidates, competing;
  for (const LiveRange& r : ranges)
    if (std::any_of(r.tensors.begin(), r.tensors.end(), [&](int t) { return moved[index(t)]; })) {
      candidates.push_back(&r);
      change(least, r, -r.bytes);
    }
  const auto leaves = [&](const LiveRange& r) {
    change(most, r, -r.bytes);
    for (const int t : r.tensors)
      if (moved[index(t)]) costs.set_area(t, costs.npu().feature_maps());
  };
  std::vector<const LiveRange*> rest;
  for (const LiveRange* r : candidates) peak(least, *r) + r->bytes > limit ? leaves(*r) : rest.push_back(r);
  for (const LiveRange* r : rest) peak(most, *r) <= limit ? change(least, *r, r->bytes) : competing.push_back(r);
  std::stable_sort(competing.begin(), competing.end(), [](const LiveRange* a, const LiveRange* b) {
    return std::tuple(a->first, a->last, a->bytes) < std::tuple(b->first, b->last, b->bytes);
  });
  if (competing.size() > kMostTogether) {
    // One that lives much longer than those around it makes all of them one group.
    const auto all = competing;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t other = std::min(i + kMostTogether, competing.size() - 1);
      if (all[i]->last - all[i]->first < kLongRange || all[i]->last <= all[other]->last + kLongRange) continue;
      leaves(*all[i]);
      competing.erase(std::find(competing.begin(), competing.end(), all[i]));
    }
  }
  for (std::size_t begin = 0; begin < competing.size();) {
    std::size_t end = begin + 1;
    int last = competing[begin]->last;
    for (; end < competing.size() && competing[end]->first <= last && end - begin < kMostTogether; ++end)
      last = std::max(last, competing[end]->last);
    std::vector<const LiveRange*> group(competing.begin() + static_cast<std::ptrdiff_t>(begin),
                                        competing.begin() + static_cast<std::ptrdiff_t>(end));
    std::vector<std::int64_t> worth;
    for (const LiveRange* r : group) worth.push_back(accesses_of(costs, schedule, r->tensors[0]));
    const auto out = Choice(group, worth, least, most, limit).run();
    for (std::size_t i = 0; i < group.size(); ++i)
      out[i] ? leaves(*group[i]) : change(least, *group[i], group[i]->bytes);
    begin = end;
  }
  measure_usage(costs, schedule);
}

}  // namespace dse::plan::npu
