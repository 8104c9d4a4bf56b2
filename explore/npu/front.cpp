#include "explore/npu/front.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "base/index.h"
#include "plan/npu/block_choices.h"
#include "plan/npu/schedule/live.h"

namespace dse::explore::npu {

using namespace plan::npu;

namespace {

Point measured(Compiled compiled, std::string origin, const FrontEffort& effort) {
  Simulated simulated = simulate(compiled);
  if (effort.simulated) effort.simulated();
  return {std::move(compiled), std::move(simulated), std::move(origin)};
}

bool stopped(const FrontEffort& effort) { return effort.stop && effort.stop(); }

void skip(const FrontEffort& effort, std::int64_t schedules) {
  if (effort.skipped && schedules > 0) effort.skipped(schedules);
}

/// Keeps those that nothing beats in one and equals in the other.
std::vector<Point> best_of(std::vector<Point> all) {
  std::stable_sort(all.begin(), all.end(), [](const Point& a, const Point& b) {
    return std::pair(a.bytes(), a.cycles()) < std::pair(b.bytes(), b.cycles());
  });
  std::vector<Point> out;
  for (Point& p : all)
    if (p.simulated.error.empty() && (out.empty() || p.cycles() < out.back().cycles())) out.push_back(std::move(p));
  return out;
}

/// Tries other blocks, and weights read where they lie, operation by operation, those that take longest first.
class Improvement {
 public:
  Improvement(Point start, int simulations, const FrontEffort& effort)
      : best_(std::move(start)), left_(simulations), effort_(effort) {}

  Point run() && {
    std::vector<int> order(index(best_.compiled.costs->count()));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return best_.simulated.operations[index(a)].end > best_.simulated.operations[index(b)].end;
    });
    for (const int i : order) {
      if (done()) break;
      other_blocks(i);
      other_staging(i);
    }
    if (stopped_) skip(effort_, left_);
    return std::move(best_);
  }

 private:
  bool done() {
    stopped_ = stopped_ || stopped(effort_);
    return stopped_ || left_ <= 0;
  }

  void offer(Schedule s, Decisions decided) {
    --left_;
    measure_usage(*best_.compiled.costs, s);
    Point p = measured(with_schedule(best_.compiled, std::move(s), std::move(decided)), "blocks", effort_);
    if (p.simulated.error.empty() && p.bytes() <= best_.bytes() && p.cycles() < best_.cycles()) best_ = std::move(p);
  }

  void other_blocks(int i) {
    Costs& costs = *best_.compiled.costs;
    if (costs.op(i).function == Function::copy) return;
    const OperationPlan was = best_.compiled.schedule.operations[index(i)];
    for (const auto& block : quick_blocks(costs, i, was, kBlocksTried)) {
      if (done()) return;
      if (block.ofm == best_.compiled.schedule.operations[index(i)].block.ofm) continue;
      Schedule s = best_.compiled.schedule;
      OperationPlan& plan = s.operations[index(i)];
      plan.block = block;
      code_weights(costs, i, plan);
      Decisions decided = best_.compiled.decided;
      decided.blocks[i] = block.ofm;
      offer(std::move(s), std::move(decided));
    }
  }

  void other_staging(int i) {
    if (done() || best_.compiled.schedule.operations[index(i)].staging == WeightStaging::none) return;
    Schedule s = best_.compiled.schedule;
    OperationPlan& plan = s.operations[index(i)];
    unstage(*best_.compiled.costs, i, plan);
    code_weights(*best_.compiled.costs, i, plan);
    Decisions decided = best_.compiled.decided;
    decided.unstaged.insert(i);
    offer(std::move(s), std::move(decided));
  }

  Point best_;
  int left_;
  bool stopped_ = false;
  const FrontEffort& effort_;
};

}  // namespace

std::vector<Point> front(const nn::NetworkPtr& network, const hw::ethos_u::Npu& npu, const FrontEffort& effort) {
  std::vector<Point> all;
  const auto settle = [&](const Point& p) {
    if (effort.settled && p.simulated.error.empty()) effort.settled(p);
  };
  all.push_back(measured(compile(network, npu, Optimise::size), "size", effort));
  settle(all.back());
  if (stopped(effort)) {
    skip(effort, 1 + effort.limits + effort.simulations);
    return best_of(std::move(all));
  }
  all.push_back(measured(within(all[0].compiled, npu.arena_limit, Optimise::performance), "performance", effort));
  settle(all.back());
  if (all[0].compiled.costs->count() == 0) return best_of(std::move(all));
  const std::int64_t low = all[0].compiled.schedule.peak(), high = all[1].compiled.schedule.peak();
  std::set<std::int64_t> peaks{low, high};
  std::vector<std::int64_t> limits;
  for (const std::int64_t a : effort.arenas)
    if (a > low && a < high) limits.push_back(a);
  for (const auto bytes : limits_between(low, high, effort.limits)) limits.push_back(bytes);
  for (std::size_t i = 0; i < limits.size(); ++i) {
    if (stopped(effort)) {
      skip(effort, static_cast<std::int64_t>(limits.size() - i));
      break;
    }
    Compiled c = within(all[0].compiled, limits[i], Optimise::performance);
    if (peaks.insert(c.schedule.peak()).second)
      all.push_back(measured(std::move(c), "limit " + std::to_string(limits[i]), effort));
  }
  std::vector<Point> found = best_of(std::move(all));
  const int each = effort.simulations / std::max<int>(1, static_cast<int>(found.size()));
  std::vector<Point> better;
  for (const Point& p : found) {
    better.push_back(Improvement(p, each, effort).run());
    if (!stopped(effort)) settle(better.back());
  }
  for (Point& p : better) found.push_back(std::move(p));
  return best_of(std::move(found));
}

}  // namespace dse::explore::npu
