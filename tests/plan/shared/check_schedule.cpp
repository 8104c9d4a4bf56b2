#include "tests/plan/shared/check_schedule.h"

#include <fmt/format.h>

#include <set>
#include <vector>

namespace dse::plan::shared::test {
namespace {

/// The tensor's rows that output row y reads, as the operator's definition says.
std::vector<std::int64_t> read_by(const phases::Edge& e, std::int64_t y) {
  std::vector<std::int64_t> rows;
  const auto first = e.window.whole ? 0 : y * e.window.stride - e.window.pad;
  const auto end = e.window.whole ? e.rows : first + e.window.kernel;
  for (auto r = first; r < end; ++r)
    if (r >= 0 && r < e.rows) rows.push_back(r);
  return rows;
}

struct Memory {
  std::set<std::int64_t> good;  // rows whose values are there
  std::size_t next = 0;         // of TensorUse::held
};

const Held* held_at(const TensorUse& t, Memory& m, int step) {
  while (m.next < t.held.size() && t.held[m.next].to <= step) ++m.next;
  return m.next < t.held.size() && t.held[m.next].from <= step ? &t.held[m.next] : nullptr;
}

}  // namespace

std::string defect_of(const phases::LayerGraph& g, const Schedule& s, Input input) {
  std::vector<Memory> memory(s.tensors.size());
  std::vector<std::int64_t> computed(g.layers.size()), calls(g.layers.size());
  for (std::size_t t = 0; t < s.tensors.size(); ++t) {
    const auto& use = s.tensors[t];
    for (std::size_t h = 0; h < use.held.size(); ++h) {
      const Held& x = use.held[h];
      if (x.from >= x.to || x.lo >= x.hi || x.lo < 0 || x.hi > use.rows)
        return fmt::format("tensor {}: held is empty", t);
      if (h > 0 && use.held[h - 1].to > x.from) return fmt::format("tensor {}: held out of order", t);
      if (use.ring > 0 && x.hi - x.lo > use.ring) return fmt::format("tensor {}: more rows than its ring has", t);
    }
    if (g.layers[static_cast<std::size_t>(use.layer)].source && input != Input::streamed)
      for (std::int64_t r = 0; r < use.rows; ++r) memory[t].good.insert(r);
  }
  for (int step = 0; step < static_cast<int>(s.steps.size()); ++step) {
    const Step& call = s.steps[static_cast<std::size_t>(step)];
    const auto& layer = g.layers[static_cast<std::size_t>(call.layer)];
    for (std::size_t t = 0; t < s.tensors.size(); ++t) {
      const Held* h = held_at(s.tensors[t], memory[t], step);
      std::erase_if(memory[t].good, [&](std::int64_t r) { return !h || r < h->lo || r >= h->hi; });
      if (s.tensors[t].layer != call.layer) continue;
      for (auto r = call.begin; r < call.end; ++r) {
        if (!h || r < h->lo || r >= h->hi) return fmt::format("step {}: row {} is made but not held", step, r);
        memory[t].good.insert(r);
      }
    }
    if (layer.source) {
      if (input != Input::streamed) return "an input that is there comes in";
      continue;
    }
    computed[static_cast<std::size_t>(call.layer)] += call.end - call.begin,
        ++calls[static_cast<std::size_t>(call.layer)];
    for (const auto& e : g.edges) {
      if (e.to != call.layer) continue;
      std::size_t t = 0;
      while (s.tensors[t].layer != e.from || s.tensors[t].tensor != e.tensor) ++t;
      for (auto y = call.begin; y < call.end; ++y)
        for (const auto r : read_by(e, y))
          if (!memory[t].good.contains(r))
            return fmt::format("step {}: {} reads row {} of {}, which is not there", step, layer.name, r,
                               g.layers[static_cast<std::size_t>(e.from)].name);
    }
  }
  if (computed != s.computed || calls != s.calls) return "rows computed or calls are miscounted";
  for (std::size_t t = 0; t < s.tensors.size(); ++t) {
    const auto& use = s.tensors[t];
    const auto l = static_cast<std::size_t>(use.layer);
    // Of other layers rows that nobody reads may be left out.
    if (!g.layers[l].source && (g.layers[l].output || use.tensor < 0) && computed[l] < g.layers[l].rows)
      return fmt::format("{} is not all made", g.layers[l].name);
    if (g.layers[l].output && static_cast<std::int64_t>(memory[t].good.size()) != use.rows)
      return fmt::format("the output {} is not there in the end", g.layers[l].name);
  }
  return {};
}

}  // namespace dse::plan::shared::test
