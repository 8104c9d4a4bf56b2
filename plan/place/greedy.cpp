#include "plan/place/greedy.h"

#include <algorithm>

#include "base/units.h"

namespace dse::plan {
namespace {

constexpr std::int64_t kAlignment = 16;  // MicroArenaBufferAlignment() of tflite-micro

}  // namespace

GreedyPlan greedy_plan(const nn::Network& n, bool keep_inputs) {
  const std::size_t count = n.tensors.size();
  GreedyPlan plan{std::vector<std::int64_t>(count, -1), std::vector<int>(count, -1), std::vector<int>(count, -1), 0};
  auto planned = [&](int t) {
    return t >= 0 && (n.tensors[t].kind == nn::TensorKind::input || n.tensors[t].kind == nn::TensorKind::activation);
  };
  auto created = [&](int t, int time) {
    if (planned(t) && plan.first[t] < 0) plan.first[t] = time;
    if (planned(t)) plan.last[t] = std::max(plan.last[t], time);
  };
  // An input that nobody reads is given all the same, and a program has nothing before its first section.
  for (int t : n.inputs) created(t, 0), created(t, 1);
  for (std::size_t k = 0; k < n.operators.size(); ++k) {
    const int time = static_cast<int>(k) + 1;
    for (int t : n.operators[k].outputs) created(t, time);
    for (int t : n.operators[k].inputs)
      if (planned(t)) plan.last[t] = std::max(plan.last[t], time);
  }
  if (keep_inputs)
    for (int t : n.inputs) created(t, static_cast<int>(n.operators.size()));
  for (int t : n.outputs)
    if (planned(t)) plan.last[t] = std::max(plan.last[t], static_cast<int>(n.operators.size()));

  struct Buffer {
    int tensor;
    std::int64_t size;
  };
  std::vector<Buffer> order;
  for (int t = static_cast<int>(count) - 1; t >= 0; --t)
    if (plan.first[t] >= 0) order.push_back({t, round_up(n.tensors[t].bytes(), kAlignment)});
  std::stable_sort(order.begin(), order.end(), [](const Buffer& a, const Buffer& b) { return a.size > b.size; });

  std::vector<Buffer> placed;  // by offset; of equal offsets the earlier placed first
  for (const Buffer& b : order) {
    std::int64_t candidate = 0;
    for (const Buffer& p : placed) {
      const bool together = plan.first[p.tensor] <= plan.last[b.tensor] && plan.first[b.tensor] <= plan.last[p.tensor];
      if (!together) continue;
      if (plan.offsets[p.tensor] - candidate >= b.size) break;
      candidate = std::max(candidate, plan.offsets[p.tensor] + p.size);
    }
    plan.offsets[b.tensor] = candidate;
    plan.head = std::max(plan.head, candidate + b.size);
    const auto at = std::upper_bound(placed.begin(), placed.end(), candidate,
                                     [&](std::int64_t o, const Buffer& p) { return o < plan.offsets[p.tensor]; });
    placed.insert(at, b);
  }
  return plan;
}

}  // namespace dse::plan
