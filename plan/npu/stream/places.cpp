#include "plan/npu/stream/places.h"

#include <algorithm>
#include <set>

#include "base/index.h"
#include "base/units.h"
#include "plan/alloc/allocate.h"

namespace dse::plan::npu {
namespace {

/// Buffers that live from a range's first time to its last.
alloc::Buffer buffer_of(const LiveRange& r, std::size_t number) {
  alloc::Buffer b;
  b.id = std::to_string(number);
  b.lower = r.first, b.upper = r.last + 1, b.size = r.bytes, b.alignment = kQuantum;
  return b;
}

}  // namespace

std::vector<LiveRange> ranges_elsewhere(const Costs& costs, const Schedule& s) {
  std::vector<LiveRange> out;
  for (std::size_t t = 0; t < costs.graph().tensors.size(); ++t) {
    const Tensor& x = costs.graph().tensors[t];
    if (x.constant || costs.in_fast(static_cast<int>(t))) continue;
    LiveRange r{.name = x.name,
                .first = 1 << 30,
                .last = -1,
                .bytes = costs.bytes(static_cast<int>(t)),
                .tensors = {static_cast<int>(t)}};
    for (const auto* list : {&x.producers, &x.consumers})
      for (const int i : *list)
        r.first = std::min(r.first, s.operations[index(i)].time),
        r.last = std::max(r.last, s.operations[index(i)].time + 1);
    if (x.producers.empty()) r.first = 0;
    if (x.persists || x.variable) r.last = 1 << 29;
    if (x.variable) r.first = 0;
    if (r.last >= r.first) out.push_back(std::move(r));
  }
  return out;
}

Places place(const Costs& costs, Schedule& schedule) {
  Places out;
  const Graph& g = costs.graph();
  out.tensor.assign(g.tensors.size(), -1);
  out.stream.assign(index(costs.count()), -1);
  out.table.assign(index(costs.count()), -1);
  const auto fill = [&](const std::vector<LiveRange>& ranges, std::int64_t& height) {
    std::vector<alloc::Buffer> buffers;
    for (std::size_t i = 0; i < ranges.size(); ++i) buffers.push_back(buffer_of(ranges[i], i));
    const alloc::Layout layout = alloc::allocate(buffers);
    height = layout.height;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      for (const int t : ranges[i].tensors) out.tensor[index(t)] = layout.offsets[i];
      if (ranges[i].weights_of >= 0) out.weights_in_fast[{ranges[i].weights_of, ranges[i].buffer}] = layout.offsets[i];
    }
  };
  fill(live_ranges(costs, schedule), out.fast_bytes);
  fill(ranges_elsewhere(costs, schedule), out.other_bytes);
  std::map<const WeightStream*, std::int64_t> seen;  // the same stream lies there once
  const auto append = [&](std::int64_t bytes) {
    const std::int64_t at = out.constant_bytes;
    out.constant_bytes = at + round_up(bytes, kQuantum);
    return at;
  };
  for (int i = 0; i < costs.count(); ++i) {
    if (const auto& w = schedule.operations[index(i)].weights; w && costs.op(i).weights) {
      const auto [at, fresh] = seen.try_emplace(w.get(), out.constant_bytes);
      if (fresh) append(w->bytes);
      out.stream[index(i)] = at->second;
    }
    if (costs.op(i).table_bytes) out.table[index(i)] = append(costs.op(i).table_bytes);
  }
  for (std::size_t t = 0; t < g.tensors.size(); ++t)
    if (g.tensors[t].constant && !g.tensors[t].consumers.empty())
      out.tensor[t] = append(costs.bytes(static_cast<int>(t)));
  return out;
}

}  // namespace dse::plan::npu
