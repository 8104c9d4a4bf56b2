#include "plan/alloc/allocate.h"

#include <algorithm>

#include "base/diagnostics.h"
#include "plan/alloc/valleys/fill.h"

namespace dse::plan::alloc {
namespace {

Layout layout_of(std::span<const Buffer> buffers, const Model& m, const Placement& p) {
  Layout out;
  for (int i = 0; i < m.count(); ++i) {
    const auto& fixed = buffers[i].offset;
    out.offsets.push_back(fixed ? *fixed : m.active[i] ? p.offsets[i] * m.unit : 0);
  }
  out.height = p.height;
  out.load = m.load;
  out.lower_bound = m.floor;
  return out;
}

/// Asks for one height in several ways, in turn with growing shares of the nodes: one that suits the problem needs few,
/// and which one does is not known before.
class Decision {
 public:
  explicit Decision(const Model& m) : m_(m), orders_(search_orders(m)) {}

  /// Up to `nodes` nodes of the budget. Found: a layout of at most `height` bytes is in `out`.
  Answer ask(std::int64_t height, std::int64_t nodes, Budget& budget, Placement& out) const {
    std::vector<Search> searches;
    for (const auto& order : orders_) searches.emplace_back(m_, order, height);
    auto fills = fills_of(m_, height);
    const auto end = budget.used + std::min(nodes, budget.nodes);
    bool over = false;
    const auto ask_one = [&](auto& search, std::int64_t share) {
      const auto before = budget.used;
      const Answer answer = search.run(std::min(share, end - budget.used), budget);
      if (answer == Answer::found) out = search.result();
      over = answer != Answer::unknown || budget.used == before || budget.stopped;  // too large, or nothing left
      return answer == Answer::none && !m_.complete && height >= m_.floor ? Answer::unknown : answer;
    };
    for (std::int64_t share = kFirstShare; budget.used < end && !budget.stopped; share *= 2) {
      for (Fill& f : fills) {
        if (f.exhausted()) continue;
        const Answer answer = ask_one(f, share);
        if (over && !f.exhausted()) return answer;
      }
      for (Search& s : searches) {
        const Answer answer = ask_one(s, share);
        if (over) return answer;
      }
    }
    return Answer::unknown;
  }

 private:
  static constexpr std::int64_t kFirstShare = 1024;
  const Model& m_;
  const std::vector<std::vector<int>> orders_;
};

/// Lowers `best` until it meets `bound`, which rises with what is proven impossible.
void minimise(const Model& m, Budget& budget, Placement& best, std::int64_t& bound) {
  const Decision decision(m);
  // The bound itself first, with half of the effort: it is nearly always reached, and the tightest height prunes most.
  auto unknown_to = bound - m.grain;  // heights in bound..unknown_to have been tried without an answer
  const auto half = budget.nodes / 2;
  // How far above the bound, in grains. It doubles with every proof: a buffer aligned to a size of its own can lie
  // millions of grains above the bound, and a proof at its root costs no node.
  std::int64_t stride = 0;
  while (bound < best.height && budget.nodes > 0 && !budget.stopped) {
    const auto low = std::max(bound, unknown_to + m.grain);
    if (low >= best.height) return;
    const bool at_bound = unknown_to < bound && budget.nodes > half;
    const auto height = at_bound ? std::min(bound + stride * m.grain, best.height - m.grain)
                                 : low + (best.height - m.grain - low) / 2 / m.grain * m.grain;
    switch (decision.ask(height, at_bound ? budget.nodes - half : budget.nodes / 4 + 1, budget, best)) {
      case Answer::found:
        stride = 0;
        break;
      case Answer::none:
        bound = height + m.grain;
        stride = stride * 2 + 1;
        break;
      case Answer::unknown:
        unknown_to = height;
        break;
    }
  }
}

}  // namespace

Layout allocate(std::span<const Buffer> buffers, std::optional<std::int64_t> capacity, const Effort& effort) {
  ensure(effort.moves >= 0 && effort.nodes >= 0 && capacity.value_or(0) >= 0, "alloc: a negative effort or capacity");
  const Model m = model_of(buffers);
  const auto stop = effort.stop ? effort.stop : [] { return false; };
  const auto room = capacity ? *capacity - *capacity % m.grain : -1;
  const auto goal = std::max(m.floor, room);
  Placement best = best_of_orders(m, effort.moves, goal, stop);
  Budget budget{effort.nodes, 0, stop};
  auto bound = m.floor;
  if (capacity && best.height > room && room >= bound) {
    if (Decision(m).ask(room, budget.nodes, budget, best) == Answer::none) bound = room + m.grain;
  } else if (!capacity) {
    minimise(m, budget, best, bound);
  }
  Layout out = layout_of(buffers, m, best);
  out.lower_bound = bound;
  out.nodes = budget.used;
  return out;
}

Layout first_fit(std::span<const Buffer> buffers) {
  const Model m = model_of(buffers);
  return layout_of(buffers, m, Placer(m).place(given_order(m), Fit::first));
}

Layout greedy(std::span<const Buffer> buffers) {
  const Model m = model_of(buffers);
  return layout_of(buffers, m, greedy_by_size(m));
}

}  // namespace dse::plan::alloc
