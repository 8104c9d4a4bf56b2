#include "plan/segment/planner/meter.h"

#include <algorithm>

#include "base/index.h"
#include "plan/network/parts.h"

namespace dse::plan::shared {
Meter::Meter(const phases::LayerGraph& g, const Tensors& t, Input input, std::int64_t bytes_per_element)
    : Recorder(g.layers.size()),
      g_(&g),
      t_(&t),
      bytes_per_element_(bytes_per_element),
      states_(t.all.size()),
      most_(t.all.size()),
      calls_(g.layers.size()),
      computed_(g.layers.size()) {
  for (const auto& l : g.layers) columns_.push_back(l.columns);
  for (const auto& e : g.edges) below_.push_back(phases::rows_released(e, 0, g.layers[index(e.to)].rows));
  for (int i = 0; i < static_cast<int>(t.all.size()); ++i) {
    const Tensor& tensor = t.all[index(i)];
    State& s = states_[index(i)];
    row_bytes_.push_back(tensor.row_elements * bytes_per_element);
    s.pinned = tensor.stays;
    if (!g.layers[index(tensor.layer)].source || input == Input::streamed) continue;
    s.pinned = s.pinned || input == Input::kept;
    s.hi = tensor.rows, made_[index(tensor.layer)] = g.layers[index(tensor.layer)].rows;
    hold(i, s.hi - lowest(i));
  }
  peak_ = live_;
}

void Meter::restart(std::int64_t cap) {
  peak_ = live_, cap_ = cap, steps_ = 0;
  rings_.clear();
  std::fill(most_.begin(), most_.end(), 0);
  std::fill(calls_.begin(), calls_.end(), 0);
  std::fill(computed_.begin(), computed_.end(), 0);
}

std::int64_t Meter::lowest(int tensor) const {
  const State& s = states_[index(tensor)];
  if (s.pinned) return 0;
  std::int64_t lo = s.hi;
  for (const int e : t_->all[index(tensor)].edges) lo = std::min(lo, below_[index(e)]);
  return lo;
}

void Meter::hold(int tensor, std::int64_t rows) {
  auto& held = states_[index(tensor)].held;
  most_[index(tensor)] = std::max(most_[index(tensor)], rows);
  if (!rings_.empty() && rows > 0 && rings_[index(tensor)] > 0) rows = rings_[index(tensor)];
  live_ += (rows - held) * row_bytes_[index(tensor)];
  held = rows;
}

bool Meter::call(int layer, std::int64_t begin, std::int64_t end, int, std::span<const GivenUp> reads) {
  ++steps_;
  ++calls_[index(layer)], computed_[index(layer)] += (end - begin) * columns_[index(layer)];
  made_[index(layer)] = end;
  const auto rows = g_->layers[index(layer)].rows;
  for (const int t : t_->of_layer[index(layer)]) {
    State& s = states_[index(t)];
    s.hi = std::max(s.hi, rows_made(t_->all[index(t)].rows, end, rows));
    hold(t, s.hi - std::min(lowest(t), rows_made(t_->all[index(t)].rows, begin, rows)));
  }
  peak_ = std::max(peak_, live_);
  for (const int t : t_->of_layer[index(layer)]) hold(t, states_[index(t)].hi - lowest(t));
  for (const auto& r : reads) below_[index(r.edge)] = r.below;
  for (const auto& r : reads) {
    const int t = t_->of_edge[index(r.edge)];
    hold(t, states_[index(t)].hi - lowest(t));
  }
  return peak_ < cap_;
}

void Meter::renew(int tensor, std::span<const GivenUp> readers) {
  states_[index(tensor)].hi = 0;
  hold(tensor, 0);
  for (const auto& r : readers) below_[index(r.edge)] = r.below;
}

void Meter::strip(int layer, int, std::int64_t columns, bool inside, std::int64_t widest) {
  made_[index(layer)] = 0, columns_[index(layer)] = columns;
  const auto& l = g_->layers[index(layer)];
  for (const int t : t_->of_layer[index(layer)]) {
    if (inside) row_bytes_[index(t)] = t_->all[index(t)].row_elements / l.columns * widest * bytes_per_element_;
  }
}

}  // namespace dse::plan::shared
