// Buffer sizes against exhaustive search, on random graphs that are small enough for it.
#include "methods/dataflow/buffers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>

#include "methods/dataflow/csdf.h"
#include "methods/dataflow/notation.h"
#include "methods/memory/layer_order.h"
#include "methods/memory/reuse.h"
#include "tests/methods/dataflow/networks.h"

namespace dse::plan::phases::buffers_test {
namespace {

/// A few layers with random windows, each reading one or two earlier ones of equal height.
LayerGraph random_graph(std::mt19937& rng, int layers) {
  const auto below = [&](int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); };
  LayerGraph g;
  g.name = "random";
  g.layers.push_back({"in", 3 + below(4), 1 + below(5), true, false, false, false});
  for (int i = 1; i <= layers; ++i) {
    const int from = std::max(0, i - 1 - below(3));
    const auto& maker = g.layers[static_cast<std::size_t>(from)];
    Window w{1 + below(3), 1 + below(2), below(2), below(8) == 0};
    const auto rows = w.whole ? 1 : std::max<std::int64_t>(1, (maker.rows + 2 * w.pad - w.kernel) / w.stride + 1);
    Layer l{"l" + std::to_string(i), rows, 1 + below(5), false, w.whole, false, false};
    g.edges.push_back({from, i, maker.rows, maker.row_elements, w, from});
    const int second = below(i);
    const auto& other = g.layers[static_cast<std::size_t>(second)];
    if (second != from && other.rows == rows)
      g.edges.push_back({second, i, other.rows, other.row_elements, {}, second});
    g.layers.push_back(l);
  }
  g.layers.back().output = true;
  return g;
}

/// The least total over all schedules: every schedule's largest contents, by depth-first search over all of them, on
/// the set of states and contents that is left after dominated ones are dropped.
std::int64_t least_by_enumeration(const Flow& f) {
  using Fired = std::vector<std::int64_t>;
  using Held = std::vector<std::int64_t>;
  std::set<std::pair<Fired, Held>> level{{Fired(f.actors.size(), 0), Held(f.channels.size(), 0)}};
  std::int64_t best = std::numeric_limits<std::int64_t>::max();
  while (!level.empty()) {
    std::set<std::pair<Fired, Held>> next;
    for (const auto& [fired, held] : level) {
      bool done = true;
      for (std::size_t a = 0; a < f.actors.size(); ++a) {
        if (fired[a] >= f.actors[a].firings) continue;
        done = false;
        bool ready = true;
        for (const int c : f.ins[a]) {
          const Channel& in = f.channels[static_cast<std::size_t>(c)];
          ready = ready && in.made_after(fired[static_cast<std::size_t>(in.from)]) >= in.needed_for(fired[a] + 1);
        }
        if (!ready) continue;
        auto fired_then = fired;
        auto held_then = held;
        ++fired_then[a];
        for (const int c : f.outs[a]) {
          const Channel& out = f.channels[static_cast<std::size_t>(c)];
          auto& most = held_then[static_cast<std::size_t>(c)];
          most =
              std::max(most, out.made_after(fired[a] + 1) - out.freed_after(fired[static_cast<std::size_t>(out.to)]));
        }
        next.emplace(std::move(fired_then), std::move(held_then));
      }
      if (!done) continue;
      std::int64_t bytes = 0;
      for (std::size_t c = 0; c < held.size(); ++c) bytes += held[c] * f.channels[c].token_bytes;
      best = std::min(best, bytes);
    }
    level = std::move(next);
  }
  return best;
}

TEST(Buffers, LeastCapacityIsThatOfAllSchedules) {
  std::mt19937 rng(20);
  int above_bound = 0;
  for (int i = 0; i < 300; ++i) {
    const auto g = random_graph(rng, 2 + i % 3);
    ASSERT_EQ(defect_of(g), "");
    const auto f = window_flow(g, minimum_parts(g), 1);
    ASSERT_TRUE(deadlock(f).empty());
    const auto result = least_capacity(f);
    EXPECT_TRUE(result.optimal);
    ASSERT_EQ(result.bytes, least_by_enumeration(f)) << "case " << i;
    EXPECT_EQ(result.buffers.bytes(f), result.bytes);
    above_bound += result.bytes > lower_bound(f).bytes(f) ? 1 : 0;
  }
  EXPECT_GT(above_bound, 10);  // or the search had nothing to do
}

TEST(Buffers, BoundsHoldAndSchedulesComplete) {
  std::mt19937 rng(21);
  for (int i = 0; i < 300; ++i) {
    const auto g = random_graph(rng, 3 + i % 20);
    const auto f = window_flow(g, minimum_parts(g), 1 + i % 4);
    const auto low = lower_bound(f);
    const auto lazy = lazy_schedule(f);
    const auto result = least_capacity(f, {i % 2 == 0 ? 2'000 : 0});
    EXPECT_LE(low.bytes(f), result.lower_bound_bytes);
    EXPECT_LE(result.lower_bound_bytes, result.bytes);
    EXPECT_LE(result.bytes, lazy.buffers.bytes(f));
    EXPECT_LE(lazy.buffers.bytes(f), naive_bytes(g, 1 + i % 4));
    const auto run = run_with(f, result.buffers);
    ASSERT_EQ(run.firings.size(), lazy.firings.size());
    for (std::size_t c = 0; c < f.channels.size(); ++c) EXPECT_LE(run.buffers.tokens[c], result.buffers.tokens[c]);
    // One token less anywhere in a least result that is at its bound must stop the iteration.
    for (std::size_t c = 0; c < f.channels.size(); ++c) {
      if (low.tokens[c] == 0) continue;
      auto less = result.buffers;
      less.tokens[c] = low.tokens[c] - 1;
      EXPECT_LT(run_with(f, less).firings.size(), lazy.firings.size());
    }
  }
}

TEST(Buffers, WholeLayersNeedWholeTensors) {
  for (const auto& g : {test::resnet18(), test::googlenet(true)}) {
    const auto f = window_flow(g, whole_layers(g), 1);
    EXPECT_EQ(lower_bound(f).bytes(f), naive_bytes(g, 1));
    EXPECT_EQ(lazy_schedule(f).buffers.bytes(f), naive_bytes(g, 1));
  }
}

TEST(Reuse, NoTwoEdgesShareABufferWhileBothAreNeeded) {
  std::mt19937 rng(22);
  for (int i = 0; i < 200; ++i) {
    const auto g = random_graph(rng, 12);
    const auto r = buffer_reuse(g, 1);
    std::vector<std::size_t> at(g.layers.size());
    for (std::size_t p = 0; p < r.order.size(); ++p) at[static_cast<std::size_t>(r.order[p])] = p;
    for (std::size_t a = 0; a < g.edges.size(); ++a) {
      EXPECT_LT(at[static_cast<std::size_t>(g.edges[a].from)], at[static_cast<std::size_t>(g.edges[a].to)]);
      EXPECT_GE(r.buffers[static_cast<std::size_t>(r.of_edge[a])], g.edges[a].elements());
      for (std::size_t b = 0; b < a; ++b) {
        const bool apart =
            at[static_cast<std::size_t>(g.edges[a].to)] < at[static_cast<std::size_t>(g.edges[b].from)] ||
            at[static_cast<std::size_t>(g.edges[b].to)] < at[static_cast<std::size_t>(g.edges[a].from)];
        EXPECT_TRUE(apart || r.of_edge[a] != r.of_edge[b]);
      }
    }
  }
}

/// Peak of one order, counted from the definition.
std::int64_t peak_of(const LayerGraph& g, const std::vector<int>& order) {
  std::vector<int> at(g.layers.size(), -1);
  for (std::size_t p = 0; p < order.size(); ++p) at[static_cast<std::size_t>(order[p])] = static_cast<int>(p);
  std::int64_t peak = 0;
  for (int p = -1; p < static_cast<int>(order.size()); ++p) {
    std::int64_t live = 0;
    for (std::size_t l = 0; l < g.layers.size(); ++l) {
      int last = at[l];  // itself
      bool read = false;
      for (const auto& e : g.edges)
        if (static_cast<std::size_t>(e.from) == l)
          last = std::max(last, at[static_cast<std::size_t>(e.to)]), read = true;
      if (g.layers[l].source && !read) continue;
      if (at[l] <= p && (g.layers[l].output || last >= p)) live += g.layers[l].rows * g.layers[l].row_elements;
    }
    peak = std::max(peak, live);
  }
  return peak;
}

TEST(LayerPeak, IsTheLeastOfAllOrders) {
  std::mt19937 rng(23);
  for (int i = 0; i < 300; ++i) {
    const auto g = random_graph(rng, 3 + i % 4);
    std::vector<int> order;
    for (std::size_t l = 0; l < g.layers.size(); ++l)
      if (!g.layers[l].source) order.push_back(static_cast<int>(l));
    std::int64_t best = std::numeric_limits<std::int64_t>::max();
    do {
      const bool legal = std::all_of(g.edges.begin(), g.edges.end(), [&](const Edge& e) {
        return g.layers[static_cast<std::size_t>(e.from)].source ||
               std::find(order.begin(), order.end(), e.from) < std::find(order.begin(), order.end(), e.to);
      });
      if (legal) best = std::min(best, peak_of(g, order));
    } while (std::next_permutation(order.begin(), order.end()));
    const auto found = least_layer_peak(g, 1);
    EXPECT_TRUE(found.optimal);
    ASSERT_EQ(found.bytes, best) << "case " << i;
    EXPECT_EQ(peak_of(g, found.order), best);
    EXPECT_GE(least_layer_peak(g, 1, {.bytes = 0, .steps = 0, .beam = 1}).bytes, best);
  }
}

}  // namespace
}  // namespace dse::plan::phases::buffers_test
