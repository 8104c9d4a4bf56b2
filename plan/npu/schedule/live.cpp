#include "plan/npu/schedule/live.h"

#include <algorithm>

#include "base/index.h"

namespace dse::plan::npu {

int in_place_of(const Costs& costs, int operation) {
  const Operation& o = costs.op(operation);
  if (o.function == Function::copy) {
    // What is made of the copy may be written over, so nobody else may still want the bytes.
    const Tensor& from = costs.tensor(o.ifm);
    const bool only = from.consumers.size() == 1 && !from.output && !from.on_cpu && !from.variable;
    return only && costs.in_fast(o.ifm) && costs.in_fast(o.ofm) ? o.ifm : -1;
  }
  if (o.unit() != Unit::elementwise || o.variable_write || !costs.in_fast(o.ofm)) return -1;
  const auto can = [&](int t, const Shape& seen) {
    return t >= 0 && seen == o.ofm_shape && costs.in_fast(t) && costs.format(t) == costs.format(o.ofm) &&
           costs.tensor(t).bits == costs.tensor(o.ofm).bits && costs.tensor(t).consumers.size() == 1 &&
           costs.tensor(o.ofm).producers.size() == 1 && !costs.tensor(t).persists && !costs.tensor(t).variable;
  };
  if (can(o.ifm, o.ifm_shape)) return o.ifm;
  return can(o.ifm2, o.ifm2_shape) ? o.ifm2 : -1;
}

std::vector<LiveRange> live_ranges(const Costs& costs, Schedule& schedule) {
  std::vector<LiveRange> out;
  std::vector<int> of(costs.graph().tensors.size(), -1);
  const auto range = [&](int t) -> LiveRange& {
    int& at = of[index(t)];
    if (at < 0) {
      at = static_cast<int>(out.size());
      out.push_back(
          {.name = costs.tensor(t).name, .first = 1 << 30, .last = -1, .bytes = costs.bytes(t), .tensors = {t}});
    }
    return out[index(at)];
  };
  const auto mark = [](LiveRange& r, int from, int to) {
    r.first = std::min(r.first, std::max(from, 0)), r.last = std::max(r.last, to);
  };
  schedule.cpu_times.clear();
  int now = 0;
  std::map<int, int> of_cascade;
  auto of_cpu = costs.graph().fallbacks.begin();
  const auto run_cpu = [&](int before) {
    for (; of_cpu != costs.graph().fallbacks.end() && of_cpu->before <= before; ++of_cpu, now += 2) {
      schedule.cpu_times.push_back(now);
      for (const int t : of_cpu->tensors)
        if (costs.in_fast(t)) mark(range(t), now, now + 1);
    }
  };
  for (int i = 0; i < costs.count(); ++i) {
    run_cpu(i);
    const Operation& o = costs.op(i);
    OperationPlan& plan = schedule.operations[index(i)];
    const Cascade* cascade = schedule.cascade_of(plan);
    if (const int under = cascade ? -1 : in_place_of(costs, i); under >= 0 && of[index(o.ofm)] < 0) {
      LiveRange& shared = range(under);
      shared.tensors.push_back(o.ofm);
      of[index(o.ofm)] = of[index(under)];
    }
    const auto begun = of_cascade.find(plan.cascade);
    plan.time = cascade && begun != of_cascade.end() ? begun->second : now;
    for (const int t : {o.ifm, o.ifm2, o.ofm}) {
      if (t < 0) continue;
      const bool rolls = cascade && t == o.ifm && cascade->buffers.count(i);
      if (!rolls && !costs.in_fast(t)) continue;
      LiveRange& r = range(t);
      if (rolls) r.bytes = cascade->buffers.at(i).elements() * costs.tensor(t).bits / 8;
      mark(r, plan.time, plan.time + 1);
    }
    const int buffers = plan.staging == WeightStaging::none ? 0 : plan.staging == WeightStaging::two_buffers ? 2 : 1;
    for (int b = 0; b < buffers; ++b) {
      int from = plan.time, length = 1;
      if (plan.ahead && b == 0) --from, ++length;
      if (buffers == 2 && static_cast<int>(plan.slices.size() % 2) != b) --length;
      LiveRange r{.name = o.name + ".weights",
                  .first = 1 << 30,
                  .last = -1,
                  .bytes = plan.buffer_bytes(b),
                  .tensors = {},
                  .weights_of = i,
                  .buffer = b};
      mark(r, from, from + length);
      out.push_back(std::move(r));
    }
    if (plan.time == now) now += 2;
    if (cascade) of_cascade[plan.cascade] = plan.time;
  }
  run_cpu(costs.count());
  for (std::size_t t = 0; t < costs.graph().tensors.size(); ++t) {
    const Tensor& x = costs.graph().tensors[t];
    if (of[t] < 0) continue;
    if ((x.consumers.empty() || x.output) && costs.in_fast(static_cast<int>(t))) mark(out[index(of[t])], now, now + 1);
    if (x.variable) mark(out[index(of[t])], 0, now + 1);
    if (x.input) mark(out[index(of[t])], 0, 1);
  }
  return out;
}

void measure_usage(const Costs& costs, Schedule& schedule) {
  const auto ranges = live_ranges(costs, schedule);
  int end = 0;
  for (const LiveRange& r : ranges) end = std::max(end, r.last);
  schedule.usage.assign(index(end) + 2, 0);
  for (const LiveRange& r : ranges)
    for (int t = r.first; t <= r.last; ++t) schedule.usage[index(t)] += r.bytes;
}

}  // namespace dse::plan::npu
