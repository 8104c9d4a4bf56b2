// The least peak over all orders: a search over sets of layers that have run, always continuing from the set that is
// reached with the lowest peak. The first complete one is the optimum.
#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <queue>

#include "plan/phases/reuse.h"

namespace dse::plan::phases {
namespace {

struct TensorUse {
  std::int64_t bytes = 0;
  int maker = 0;
  std::vector<int> readers;
  bool stays = false;
};

using Done = std::vector<bool>;
constexpr std::int64_t max_searched_layers = 10'000;

struct State {
  Done done;
  std::int64_t live = 0, peak = 0;
  int last = -1;
  std::shared_ptr<const State> before;
};
using StatePtr = std::shared_ptr<State>;

class Search {
 public:
  Search(const LayerGraph& g, std::int64_t bytes_per_element) : g_(g), ins_(g.layers.size()), outs_(g.layers.size()) {
    std::map<std::pair<int, int>, std::size_t> known;  // by tensor and maker
    std::vector<bool> made(g.layers.size());
    for (const auto& e : g.edges) {
      const auto [entry, fresh] = known.emplace(std::pair(e.tensor, e.from), tensors_.size());
      if (fresh) {
        tensors_.push_back(
            {e.elements() * bytes_per_element, e.from, {}, g.layers[static_cast<std::size_t>(e.from)].output});
        outs_[static_cast<std::size_t>(e.from)].push_back(entry->second);
        made[static_cast<std::size_t>(e.from)] = true;
      }
      tensors_[entry->second].readers.push_back(e.to);
      ins_[static_cast<std::size_t>(e.to)].push_back(entry->second);
    }
    for (std::size_t i = 0; i < g.layers.size(); ++i) {  // results that nobody reads
      const Layer& l = g.layers[i];
      if (made[i] || l.source) continue;
      outs_[i].push_back(tensors_.size());
      tensors_.push_back({l.rows * l.row_elements * bytes_per_element, static_cast<int>(i), {}, l.output});
    }
  }

  StatePtr start() const {
    auto s = std::make_shared<State>();
    s->done.assign(g_.layers.size(), false);
    for (std::size_t i = 0; i < g_.layers.size(); ++i)
      if (g_.layers[i].source) {
        s->done[i] = true;
        for (const auto t : outs_[i]) s->live += tensors_[t].bytes;
      }
    s->peak = s->live;
    return s;
  }
  bool can_run(const State& s, std::size_t layer) const {
    if (s.done[layer]) return false;
    return std::all_of(ins_[layer].begin(), ins_[layer].end(),
                       [&](std::size_t t) { return s.done[static_cast<std::size_t>(tensors_[t].maker)]; });
  }
  StatePtr after(const StatePtr& s, std::size_t layer) const {
    auto next = std::make_shared<State>(*s);
    next->before = s;
    run(*next, layer);
    return next;
  }
  void run(State& s, std::size_t layer) const {
    s.done[layer] = true, s.last = static_cast<int>(layer);
    for (const auto t : outs_[layer]) s.live += tensors_[t].bytes;
    s.peak = std::max(s.peak, s.live);
    const auto release = [&](std::size_t t) {
      const TensorUse& u = tensors_[t];
      if (!u.stays &&
          std::all_of(u.readers.begin(), u.readers.end(), [&](int r) { return s.done[static_cast<std::size_t>(r)]; }))
        s.live -= u.bytes;
    };
    for (const auto t : ins_[layer]) release(t);
    for (const auto t : outs_[layer]) release(t);
  }
  std::size_t layers() const { return g_.layers.size(); }

 private:
  const LayerGraph& g_;
  std::vector<TensorUse> tensors_;
  std::vector<std::vector<std::size_t>> ins_, outs_;  // tensors
};

struct Worse {
  bool operator()(const StatePtr& a, const StatePtr& b) const {
    if (a->peak != b->peak) return a->peak > b->peak;
    return std::count(a->done.begin(), a->done.end(), true) < std::count(b->done.begin(), b->done.end(), true);
  }
};

LayerPeak optimum(const State& last) {
  LayerPeak p{last.peak, true, {}};
  for (const State* s = &last; s->last >= 0; s = s->before.get()) p.order.push_back(s->last);
  std::reverse(p.order.begin(), p.order.end());
  return p;
}

}  // namespace

LayerPeak least_layer_peak(const LayerGraph& g, std::int64_t bytes_per_element, std::int64_t max_states) {
  const Search search(g, bytes_per_element);
  // What a state and a step cost grows with the graph: beyond these sizes the search would take gigabytes.
  const auto size = static_cast<std::int64_t>(std::max<std::size_t>(1, g.layers.size()));
  max_states = size > max_searched_layers ? 0 : std::min(max_states, (std::int64_t{1} << 30) / size);
  const auto complete = [](const State& s) {
    return std::all_of(s.done.begin(), s.done.end(), [](bool d) { return d; });
  };
  std::priority_queue<StatePtr, std::vector<StatePtr>, Worse> open;
  std::map<Done, std::int64_t> seen;
  open.push(search.start());
  while (!open.empty() && static_cast<std::int64_t>(seen.size()) < max_states) {
    const StatePtr s = open.top();
    open.pop();
    if (complete(*s)) return optimum(*s);
    std::vector<StatePtr> nexts;
    bool safe = false;
    for (std::size_t l = 0; l < search.layers() && !safe; ++l) {
      if (!search.can_run(*s, l)) continue;
      auto next = search.after(s, l);
      // What neither raises the peak nor leaves more alive can come at once: any order that has it later is no better.
      if (next->peak == s->peak && next->live <= s->live) nexts.clear(), safe = true;
      nexts.push_back(std::move(next));
    }
    for (auto& next : nexts)
      if (const auto [entry, fresh] = seen.emplace(next->done, next->peak); fresh || next->peak < entry->second) {
        entry->second = next->peak;
        open.push(std::move(next));
      }
  }
  LayerPeak given{0, false, {}};  // in the order of the graph
  const StatePtr s = search.start();
  for (std::size_t l = 0; l < search.layers(); ++l)
    if (!g.layers[l].source) search.run(*s, l), given.order.push_back(static_cast<int>(l));
  given.bytes = s->peak;
  return given;
}

}  // namespace dse::plan::phases
