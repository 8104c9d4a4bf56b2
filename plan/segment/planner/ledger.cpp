#include "plan/segment/planner/ledger.h"

#include <algorithm>
#include <utility>

#include "base/index.h"
#include "plan/network/parts.h"

namespace dse::plan::shared {
Ledger::Ledger(const phases::LayerGraph& g, const Tensors& t, Input input)
    : Recorder(g.layers.size()), g_(g), t_(t), states_(t.all.size()) {
  for (const auto& l : g.layers) columns_.push_back(l.columns);
  strips_.resize(g.layers.size());
  for (const auto& e : g.edges) {
    const auto rows = g.layers[index(e.to)].rows;
    below_.push_back(phases::rows_released(e, 0, rows));  // rows that a window leaves out at the top are not waited for
  }
  for (const auto& tensor : t.all)
    out_.tensors.push_back({tensor.number, tensor.layer, tensor.rows, tensor.row_elements, 0, {}});
  out_.computed.resize(g.layers.size()), out_.calls.resize(g.layers.size());
  for (int i = 0; i < static_cast<int>(t.all.size()); ++i) {
    const Tensor& tensor = t.all[index(i)];
    State& s = states_[index(i)];
    s.pinned = tensor.stays;
    if (!g.layers[index(tensor.layer)].source || input == Input::streamed) continue;
    s.pinned = s.pinned || input == Input::kept;
    s.hi = tensor.rows, made_[index(tensor.layer)] = g.layers[index(tensor.layer)].rows;
    hold(i, 0, lowest(i), s.hi);
  }
}

std::int64_t Ledger::lowest(int tensor) const {
  const State& s = states_[index(tensor)];
  if (s.pinned) return 0;
  std::int64_t lo = s.hi;
  for (const int e : t_.all[index(tensor)].edges) lo = std::min(lo, below_[index(e)]);
  return lo;
}

void Ledger::hold(int tensor, int step, std::int64_t lo, std::int64_t hi) {
  Held& now = states_[index(tensor)].now;
  if (lo >= hi) lo = hi = 0;
  if (now.lo == lo && now.hi == hi) return;
  auto& held = out_.tensors[index(tensor)].held;
  if (now.lo < now.hi && now.from < step) {
    now.to = step;
    held.push_back(now);
  }
  now = {step, step, lo, hi};
  if (!held.empty() && held.back().to == step && held.back().lo == lo && held.back().hi == hi) {
    now.from = held.back().from;  // back to what it was within one step
    held.pop_back();
  }
}

bool Ledger::call(int layer, std::int64_t begin, std::int64_t end, int segment, std::span<const GivenUp> reads) {
  const int step = static_cast<int>(out_.steps.size());
  out_.steps.push_back({layer, begin, end, segment, strips_[index(layer)]});
  if (!g_.layers[index(layer)].source)
    out_.computed[index(layer)] += (end - begin) * columns_[index(layer)], ++out_.calls[index(layer)];
  made_[index(layer)] = end;
  const auto rows = g_.layers[index(layer)].rows;
  for (const int t : t_.of_layer[index(layer)]) {
    State& s = states_[index(t)];
    const auto first = rows_made(t_.all[index(t)].rows, begin, rows);
    s.hi = std::max(s.hi, rows_made(t_.all[index(t)].rows, end, rows));
    // What is being made is there, wanted or not.
    hold(t, step, std::min(lowest(t), first), s.hi);
    hold(t, step + 1, lowest(t), s.hi);
  }
  for (const auto& r : reads) {
    below_[index(r.edge)] = r.below;
    const int t = t_.of_edge[index(r.edge)];
    hold(t, step + 1, lowest(t), states_[index(t)].hi);
  }
  return true;
}

void Ledger::renew(int tensor, std::span<const GivenUp> readers) {
  states_[index(tensor)].hi = 0;
  hold(tensor, static_cast<int>(out_.steps.size()), 0, 0);
  for (const auto& r : readers) below_[index(r.edge)] = r.below;
}

void Ledger::strip(int layer, int number, std::int64_t columns, bool inside, std::int64_t widest) {
  made_[index(layer)] = 0, columns_[index(layer)] = columns, strips_[index(layer)] = number;
  for (const int t : t_.of_layer[index(layer)]) {
    if (inside)
      out_.tensors[index(t)].row_elements = t_.all[index(t)].row_elements / g_.layers[index(layer)].columns * widest;
  }
}

Schedule Ledger::close() && {
  const int end = static_cast<int>(out_.steps.size());
  for (int i = 0; i < static_cast<int>(states_.size()); ++i) hold(i, end, 0, 0);
  return std::move(out_);
}

}  // namespace dse::plan::shared
