#include "plan/segment/planner/schedule.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/diagnostics.h"
#include "methods/memory/layer_order.h"
#include "plan/alloc/allocate.h"
#include "plan/alloc/validate.h"
#include "tests/methods/dataflow/networks.h"
#include "tests/plan/segment/planner/check_schedule.h"
#include "tests/plan/segment/planner/random_layers.h"
#include "tests/support/slow.h"

namespace dse::plan::shared::schedule_test {
namespace {

using phases::LayerGraph;

RowSegment segment(int first, int last, std::int64_t rows, std::int64_t grain = 0) {
  return {first, last, rows, std::vector<std::int64_t>(static_cast<std::size_t>(last - first), grain), Halo::cached};
}

/// 8 rows in, 3x3 to 8 rows, 3x3 to 8 rows; rows of 1, 10 and 100 elements.
LayerGraph two_windows() {
  LayerGraph g;
  g.layers = {{"in", 8, 1, true, false, false, false},
              {"a", 8, 10, false, false, false, false},
              {"b", 8, 100, false, false, false, true}};
  g.edges = {{0, 1, 8, 1, {3, 1, 1, false}, 0}, {1, 2, 8, 10, {3, 1, 1, false}, 1}};
  return g;
}

TEST(SharedSchedule, RowsComeWhenTheyAreAskedFor) {
  const auto g = two_windows();
  const auto s = expand(g, std::vector{segment(0, 1, 4)}, Input::streamed);
  const std::vector<Step> steps{{0, 0, 6, 0}, {1, 0, 5, 0}, {2, 0, 4, 0}, {0, 6, 8, 0}, {1, 5, 8, 0}, {2, 4, 8, 0}};
  EXPECT_EQ(s.steps, steps);
  // The input: six rows, then 4 and 5, which stay for the second call, and 6 and 7.
  EXPECT_EQ(s.tensors[0].held, (std::vector<Held>{{0, 2, 0, 6}, {2, 3, 4, 6}, {3, 5, 4, 8}}));
  EXPECT_EQ(s.tensors[1].held, (std::vector<Held>{{1, 3, 0, 5}, {3, 4, 3, 5}, {4, 6, 3, 8}}));
  EXPECT_EQ(s.tensors[2].held, (std::vector<Held>{{2, 5, 0, 4}, {5, 6, 0, 8}}));
  EXPECT_EQ(s.tensors[0].ring, 6);
  EXPECT_EQ(s.tensors[1].ring, 5);
  EXPECT_EQ(s.tensors[2].ring, 0);
  EXPECT_EQ(peak_bytes(s, 1), 5 * 10 + 8 * 100);
  EXPECT_EQ(peak_bytes(s, 4), 4 * (5 * 10 + 8 * 100));
  EXPECT_EQ(s.calls, (std::vector<std::int64_t>{0, 2, 2}));
}

TEST(SharedSchedule, RowByRowHoldsLess) {
  const auto s = expand(two_windows(), std::vector{segment(0, 1, 1, 1)}, Input::streamed);
  EXPECT_EQ(s.tensors[0].ring, 3);
  EXPECT_EQ(s.tensors[1].ring, 3);
  EXPECT_EQ(peak_bytes(s, 1), 2 * 10 + 8 * 100);  // the last row is made from two
  EXPECT_EQ(s.computed, (std::vector<std::int64_t>{0, 8, 8}));
}

TEST(SharedSchedule, RecomputedRowsDoNotStay) {
  auto one = segment(0, 1, 4);
  one.halo = Halo::recomputed;
  const auto s = expand(two_windows(), std::vector{one}, Input::released);
  const std::vector<Step> steps{{1, 0, 5, 0}, {2, 0, 4, 0}, {1, 3, 8, 0}, {2, 4, 8, 0}};
  EXPECT_EQ(s.steps, steps);
  EXPECT_EQ(s.tensors[1].held, (std::vector<Held>{{0, 2, 0, 5}, {2, 4, 3, 8}}));
  EXPECT_EQ(s.tensors[0].held, (std::vector<Held>{{0, 1, 0, 8}, {1, 3, 2, 8}}));
  EXPECT_EQ(s.computed, (std::vector<std::int64_t>{0, 10, 8}));
}

TEST(SharedSchedule, InputsAreKeptReleasedOrStreamed) {
  const auto g = two_windows();
  const std::vector<RowSegment> segments{segment(0, 0, 0), segment(1, 1, 0)};
  const auto kept = expand(g, segments, Input::kept), released = expand(g, segments, Input::released),
             streamed = expand(g, segments, Input::streamed);
  EXPECT_EQ(kept.tensors[0].held, (std::vector<Held>{{0, 2, 0, 8}}));
  EXPECT_EQ(released.tensors[0].held, (std::vector<Held>{{0, 1, 0, 8}}));
  EXPECT_EQ(streamed.tensors[0].held, (std::vector<Held>{{0, 2, 0, 8}}));
  EXPECT_EQ(streamed.steps.size(), 3U);
  EXPECT_EQ(peak_bytes(kept, 1), 8 + 80 + 800);
  EXPECT_EQ(peak_bytes(released, 1), 80 + 800);
}

TEST(SharedSchedule, OneLayerByRowsGivesItsInputUp) {
  const auto g = two_windows();
  const auto s = expand(g, std::vector{segment(0, 0, 0), segment(1, 1, 1)}, Input::released);
  EXPECT_EQ(s.tensors[1].ring, 0);  // it crosses a segment's end
  EXPECT_EQ(s.tensors[1].held.back(), (Held{8, 9, 6, 8}));
  EXPECT_EQ(peak_bytes(s, 1), 20 + 800);
}

TEST(SharedSchedule, BuffersOfTensors) {
  TensorUse t{0, 0, 10, 3, 0, {{2, 4, 0, 5}, {4, 5, 0, 10}, {7, 9, 4, 10}}};
  const auto placed = buffer_of(t, 2);
  EXPECT_EQ(placed.size, 60);
  EXPECT_EQ(placed.lower, 2);
  EXPECT_EQ(placed.upper, 9);
  t.ring = 6;
  t.held = {{2, 4, 0, 5}, {5, 9, 4, 10}};
  const auto ring = buffer_of(t, 1);
  EXPECT_EQ(ring.size, 18);
  for (const auto& gap : ring.gaps) EXPECT_TRUE(gap.lower >= 2 && gap.upper <= 9);
}

TEST(SharedSchedule, SegmentsMustCoverTheLayers) {
  const auto g = two_windows();
  EXPECT_THROW(expand(g, std::vector{segment(0, 0, 0)}, Input::kept), InvariantError);
  EXPECT_THROW(expand(g, std::vector{segment(1, 1, 0)}, Input::kept), InvariantError);
  EXPECT_THROW(expand(g, std::vector{segment(0, 2, 0)}, Input::kept), InvariantError);
  auto odd = segment(0, 1, 0);
  odd.grain.push_back(1);
  EXPECT_THROW(expand(g, std::vector{odd}, Input::kept), InvariantError);
}

TEST(SharedSchedule, EveryRowThatIsReadIsHeld) {
  std::mt19937 random(1);
  int strips = 0;
  for (int i = 0; i < dse::test::of_cases(6000); ++i) {
    const auto g = test::random_layers(random, 9);
    ASSERT_EQ(phases::defect_of(g), "");
    for (const Input input : {Input::released, Input::kept, Input::streamed}) {
      const auto segments = test::random_segments(random, g, input == Input::streamed);
      for (const auto& x : segments) strips += x.strips > 1 && x.first < x.last;
      const auto s = expand(g, segments, input);
      ASSERT_EQ(test::defect_of(g, s, input, segments), "") << i << " " << static_cast<int>(input);
      std::vector<alloc::Buffer> buffers;
      for (const auto& t : s.tensors) buffers.push_back(buffer_of(t, 1));
      const auto layout = alloc::allocate(buffers, {}, {.moves = 20, .nodes = 0});
      ASSERT_LE(peak_bytes(s, 1), layout.height);
    }
  }
  EXPECT_GT(strips, dse::test::of_cases(500));
}

TEST(SharedSchedule, WholeLayersTakeWhatTheyTakeOneByOne) {
  for (const auto& g : {phases::test::resnet18(), phases::test::squeezenet11(), phases::test::example41()}) {
    std::vector<RowSegment> segments;
    for (int l = 0; l < g.layer_count(); ++l) segments.push_back(segment(l, l, 0));
    const auto least = phases::least_layer_peak(g, 1).bytes;
    EXPECT_GE(peak_bytes(expand(g, segments, Input::released), 1), least) << g.name;
  }
}

}  // namespace
}  // namespace dse::plan::shared::schedule_test
