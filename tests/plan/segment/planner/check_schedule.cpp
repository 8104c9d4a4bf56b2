#include "tests/plan/segment/planner/check_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/index.h"

namespace dse::plan::shared::test {
namespace {

/// What output row (or column) y reads of a tensor with `extent` of them, as the operator's definition says.
std::vector<std::int64_t> read_by(const phases::Window& w, std::int64_t extent, std::int64_t y) {
  std::vector<std::int64_t> rows;
  const auto first = w.whole ? 0 : y * w.stride - w.pad;
  const auto end = w.whole ? extent : first + w.kernel;
  for (auto r = first; r < end; ++r)
    if (r >= 0 && r < extent) rows.push_back(r);
  return rows;
}

struct Memory {
  std::set<std::pair<std::int64_t, std::int64_t>> good;  // rows and columns whose values are there
  std::size_t next = 0;                                  // of TensorUse::held
};

const Held* held_at(const TensorUse& t, Memory& m, int step) {
  while (m.next < t.held.size() && t.held[m.next].to <= step) ++m.next;
  return m.next < t.held.size() && t.held[m.next].from <= step ? &t.held[m.next] : nullptr;
}

/// Columns that the layers of a segment make, by strip and layer of the graph: all between the first and the last one
/// that some reader's columns touch.
class StripColumns {
 public:
  StripColumns(const phases::LayerGraph& g, std::span<const RowSegment> segments) : g_(g) {
    std::vector<int> layers;
    for (int l = 0; l < static_cast<int>(g.layers.size()); ++l)
      if (!g.layers[index(l)].source) layers.push_back(l);
    for (const RowSegment& s : segments) {
      segments_.emplace_back();
      for (int p = s.first; p <= s.last; ++p) segments_.back().push_back(layers[index(p)]);
      counts_.push_back(s.strips);
    }
  }
  bool strips(int segment) const { return !counts_.empty() && counts_[index(segment)] > 1; }
  bool drives(int segment, int layer) const { return segments_[index(segment)].back() == layer; }
  std::vector<std::int64_t> of(const Step& step) const {
    std::vector<std::int64_t> out;
    const auto& layer = g_.layers[index(step.layer)];
    std::int64_t lo = 0, hi = layer.columns;
    if (!layer.source && strips(step.segment)) std::tie(lo, hi) = range(step.segment, step.strip, step.layer);
    for (auto x = lo; x < hi; ++x) out.push_back(x);
    return out;
  }

 private:
  std::pair<std::int64_t, std::int64_t> range(int segment, int strip, int layer) const {
    const auto& l = g_.layers[index(layer)];
    const auto count = counts_[index(segment)];
    if (drives(segment, layer)) return {l.columns * strip / count, l.columns * (strip + 1) / count};
    std::set<std::int64_t> read;
    for (const auto& e : g_.edges) {
      if (e.from != layer) continue;
      const auto [lo, hi] = range(segment, strip, e.to);
      for (auto x = lo; x < hi; ++x)
        for (const auto c : read_by(e.across, l.columns, x)) read.insert(c);
    }
    if (read.empty()) return {0, 0};
    // What nobody reads comes all the same: with the strip after it, or the last one.
    const auto before = strip > 0 ? range(segment, strip - 1, layer).second : 0;
    return {std::min(*read.begin(), before), strip + 1 == count ? l.columns : *read.rbegin() + 1};
  }

  const phases::LayerGraph& g_;
  std::vector<std::vector<int>> segments_;
  std::vector<std::int64_t> counts_;
};

}  // namespace

std::string defect_of(const phases::LayerGraph& g, const Schedule& s, Input input,
                      std::span<const RowSegment> segments) {
  const StripColumns columns(g, segments);
  std::vector<Memory> memory(s.tensors.size());
  std::vector<std::int64_t> computed(g.layers.size()), calls(g.layers.size());
  std::vector<int> strip(g.layers.size(), -1);
  std::map<int, std::int64_t> widest;  // by layer inside strips
  for (std::size_t t = 0; t < s.tensors.size(); ++t) {
    const auto& use = s.tensors[t];
    const auto& maker = g.layers[index(use.layer)];
    for (std::size_t h = 0; h < use.held.size(); ++h) {
      const Held& x = use.held[h];
      if (x.from >= x.to || x.lo >= x.hi || x.lo < 0 || x.hi > use.rows)
        return fmt::format("tensor {}: held is empty", t);
      if (h > 0 && use.held[h - 1].to > x.from) return fmt::format("tensor {}: held out of order", t);
      if (use.ring > 0 && x.hi - x.lo > use.ring) return fmt::format("tensor {}: more rows than its ring has", t);
    }
    if (maker.source && input != Input::streamed)
      for (std::int64_t r = 0; r < use.rows; ++r)
        for (std::int64_t c = 0; c < maker.columns; ++c) memory[t].good.emplace(r, c);
  }
  for (int step = 0; step < static_cast<int>(s.steps.size()); ++step) {
    const Step& call = s.steps[index(step)];
    const auto& layer = g.layers[index(call.layer)];
    const auto made = columns.of(call);
    const bool inside = !layer.source && columns.strips(call.segment) && !columns.drives(call.segment, call.layer);
    if (made.empty()) return fmt::format("step {}: {} makes no columns", step, layer.name);
    if (inside) widest[call.layer] = std::max(widest[call.layer], static_cast<std::int64_t>(made.size()));
    for (std::size_t t = 0; t < s.tensors.size(); ++t) {
      const Held* h = held_at(s.tensors[t], memory[t], step);
      std::erase_if(memory[t].good, [&](const auto& p) { return !h || p.first < h->lo || p.first >= h->hi; });
      if (s.tensors[t].layer != call.layer) continue;
      if (inside && strip[index(call.layer)] != call.strip) memory[t].good.clear();  // other columns in the same place
      for (auto r = call.begin; r < call.end; ++r) {
        if (!h || r < h->lo || r >= h->hi) return fmt::format("step {}: row {} is made but not held", step, r);
        for (const auto c : made) memory[t].good.emplace(r, c);
      }
    }
    strip[index(call.layer)] = call.strip;
    if (layer.source) {
      if (input != Input::streamed) return "an input that is there comes in";
      continue;
    }
    computed[index(call.layer)] += (call.end - call.begin) * static_cast<std::int64_t>(made.size());
    ++calls[index(call.layer)];
    for (const auto& e : g.edges) {
      if (e.to != call.layer) continue;
      std::size_t t = 0;
      while (s.tensors[t].layer != e.from || s.tensors[t].tensor != e.tensor) ++t;
      const auto& from = g.layers[index(e.from)];
      for (auto y = call.begin; y < call.end; ++y)
        for (const auto r : read_by(e.window, e.rows, y))
          for (const auto x : made)
            for (const auto c : read_by(e.across, from.columns, x))
              if (!memory[t].good.contains({r, c}))
                return fmt::format("step {}: {} reads row {}, column {} of {}, which is not there", step, layer.name, r,
                                   c, from.name);
    }
  }
  if (computed != s.computed || calls != s.calls) return "what is computed or calls are miscounted";
  for (std::size_t t = 0; t < s.tensors.size(); ++t) {
    const auto& use = s.tensors[t];
    const auto& l = g.layers[index(use.layer)];
    // Of other layers rows that nobody reads may be left out.
    if (!l.source && (l.output || use.tensor < 0) && computed[index(use.layer)] < l.rows * l.columns)
      return fmt::format("{} is not all made", l.name);
    if (l.output && static_cast<std::int64_t>(memory[t].good.size()) != use.rows * l.columns)
      return fmt::format("the output {} is not there in the end", l.name);
    if (const auto w = widest.find(use.layer);
        w != widest.end() && use.row_elements != l.row_elements / l.columns * w->second)
      return fmt::format("{} has rows of {} elements", l.name, use.row_elements);
  }
  return {};
}

}  // namespace dse::plan::shared::test
