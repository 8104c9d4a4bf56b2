#include "plan/npu/schedule/buffering.h"

#include <algorithm>

#include "base/index.h"
#include "base/units.h"

namespace dse::plan::npu {
namespace {

using namespace hw::ethos_u;

int down(double n, int to) { return static_cast<int>(n / to) * to; }
int up(double n, int to) { return static_cast<int>((n + to - 1) / to) * to; }

/// Slices of an operation: the first one as large as can come while the operation before runs, the others as large as
/// come while a slice is computed.
class Slices {
 public:
  Slices(Costs& costs, int i, OperationPlan& plan, std::int64_t limit, std::int64_t slack)
      : costs_(costs),
        i_(i),
        plan_(plan),
        limit_(limit),
        whole_(plan.weights->bytes),
        depth_(plan.stripe.c),
        slack_(slack) {}

  void choose() {
    const double half = static_cast<double>(limit_ / 2 - (limit_ % 2 && limit_ < 0 ? 1 : 0)),
                 all = static_cast<double>(whole_);
    plan_.transfer_cycles = transfer_cycles(costs_.npu(), costs_.npu().constants(), Npu::fast(), whole_);
    const double ahead = plan_.transfer_cycles > static_cast<double>(slack_)
                             ? std::min(static_cast<double>(slack_) / plan_.transfer_cycles * all, half)
                             : std::min(all, half);
    if (ahead >= all) return;
    const int block = plan_.block.ofm.c;
    first_ = std::max(kSplitDepth, down(depth_ * (ahead / all), kSplitDepth));
    const double share = static_cast<double>(costs_.cycles(i_, plan_, first_)) / plan_.transfer_cycles;
    double next = up(depth_ * share, block);
    if (next / depth_ * all > half) next = half / all * depth_;
    for (;;) {
      next = std::max(next > block ? down(next, block) : down(next, kSplitDepth), kSplitDepth);
      cut(static_cast<int>(next));
      if (plan_.weights->double_buffer() <= limit_ || first_ == kSplitDepth) break;
      if (next > first_)
        next = up(static_cast<double>(static_cast<int>(next) / 2), kSplitDepth);
      else
        first_ = up(static_cast<double>(first_ / 2), kSplitDepth);
    }
    const auto& s = plan_.slices;
    plan_.slack_cycles = costs_.cycles(i_, plan_, s[s.size() - 1] - s[s.size() - 2]);
  }

 private:
  void cut(int next) {
    plan_.slices = {0};
    for (int at = first_; first_ < depth_ && at < depth_; at += next) plan_.slices.push_back(at);
    plan_.slices.push_back(depth_);
    plan_.weights = costs_.weights(i_, plan_, plan_.slices);
  }

  Costs& costs_;
  int i_;
  OperationPlan& plan_;
  std::int64_t limit_, whole_;
  int depth_, first_ = 0;
  std::int64_t slack_;
};

void stage(Costs& costs, int i, OperationPlan& plan, const OperationPlan* before, Schedule& from, std::int64_t limit) {
  const Operation& o = costs.op(i);
  const WeightStreamPtr whole = costs.weights(i, plan, {0, plan.stripe.c});
  plan.slices = {0, plan.stripe.c};
  plan.weights = whole;
  const Area constants = costs.npu().constants();
  const bool needs = (constants == Area::dram || constants == Area::off_chip_flash) && constants != Npu::fast();
  if (!needs || o.function == Function::fully_connected) return;
  const bool cascaded = plan.cascade != 0;
  if (cascaded)
    from.usage.resize(std::max(from.usage.size(), index(plan.time) + 1)), from.usage[index(plan.time)] += whole->bytes;
  else
    Slices(costs, i, plan, limit, before ? before->slack_cycles : 0).choose();
  const std::int64_t one = std::min(plan.weights->bytes, plan.weights->largest_slice());
  if (one > limit) {
    plan.slices = {0, plan.stripe.c}, plan.weights = whole;
    return;
  }
  const bool twice = !cascaded && plan.weights->double_buffer() <= limit && one < plan.weights->bytes;
  plan.staging = twice ? WeightStaging::two_buffers : WeightStaging::one_buffer;
  if (!cascaded) plan.ahead = plan.weights->double_buffer() < (before ? before->slack_bytes : 0);
  plan.slack_bytes -= plan.weights->buffers[twice ? plan.slices.size() % 2 : 0];
}

}  // namespace

Schedule stage_weights(Costs& costs, const Schedule& reference, int first, int last, std::int64_t limit) {
  Schedule from = reference, out = reference;
  const OperationPlan* before = nullptr;
  for (int i = first; i <= last; ++i) {
    OperationPlan& plan = out.operations[index(i)];
    plan.slack_cycles = plan.cycles;
    plan.slack_bytes = limit - from.usage_at(plan.time);
    if (costs.op(i).weights) stage(costs, i, plan, before, from, plan.slack_bytes);
    before = &plan;
  }
  out.usage = from.usage;
  return out;
}

}  // namespace dse::plan::npu
