// Which columns each layer makes in which strip.
#include "plan/segment/planner/strips.h"

#include <gtest/gtest.h>

#include <array>

#include "base/diagnostics.h"
#include "plan/segment/planner/schedule.h"
#include "tests/plan/segment/planner/check_schedule.h"

namespace dse::plan::shared::strips_test {
namespace {

/// An 8x8 image, a 3x3 window over it with a border of zeros, another one that advances by two.
phases::LayerGraph two_convolutions() {
  phases::LayerGraph g;
  g.name = "two";
  const auto add = [&](const char* name, std::int64_t rows, std::int64_t columns, std::int64_t channels) {
    phases::Layer l;
    l.name = name, l.rows = rows, l.columns = columns, l.row_elements = columns * channels;
    g.layers.push_back(l);
  };
  add("image", 8, 8, 3), add("same", 8, 8, 4), add("half", 4, 4, 8);
  g.layers[0].source = true, g.layers[2].output = true;
  g.edges.push_back({0, 1, 8, 24, {3, 1, 1, false}, 0, {3, 1, 1, false}});
  g.edges.push_back({1, 2, 8, 32, {3, 2, 1, false}, 1, {3, 2, 1, false}});
  return g;
}

constexpr std::array kBoth{1, 2};

TEST(Strips, ReadersSayWhichColumnsAStripMakes) {
  const auto g = two_convolutions();
  const auto made = strips_of(g, kBoth, 2, false);
  ASSERT_TRUE(std::holds_alternative<Strips>(made)) << std::get<std::string>(made);
  const auto& s = std::get<Strips>(made);
  using Of = std::vector<Columns>;
  EXPECT_EQ(s.columns, (std::vector<Of>{{{0, 4}, {0, 2}}, {{3, 8}, {2, 4}}}));  // 2 * 2 - 1 = 3: a column twice
  EXPECT_EQ(s.widest, (std::vector<std::int64_t>{5, 2}));
}

TEST(Strips, RowsInsideAreAsWideAsTheWidestStrip) {
  const auto g = two_convolutions();
  const std::vector<RowSegment> whole{{0, 1, 1, {1}, Halo::cached}}, strips{{0, 1, 1, {1}, Halo::cached, 2}};
  const auto one = expand(g, whole, Input::kept), two = expand(g, strips, Input::kept);
  EXPECT_EQ(test::defect_of(g, two, Input::kept, strips), "");
  EXPECT_EQ(two.tensors[1].row_elements, 5 * 4);
  EXPECT_EQ(two.tensors[1].ring, 3);
  EXPECT_EQ(two.computed, (std::vector<std::int64_t>{0, 8 * 9, 4 * 4}));
  EXPECT_EQ(two.calls, (std::vector<std::int64_t>{0, 16, 8}));
  // The image, all of the result, three rows between them.
  EXPECT_EQ(peak_bytes(two, 1), 8 * 24 + 4 * 32 + 3 * 20);
  EXPECT_EQ(peak_bytes(one, 1), 8 * 24 + 4 * 32 + 3 * 32);
}

TEST(Strips, WhatStandsAgainstThem) {
  const auto why = [](const phases::LayerGraph& g, std::span<const int> layers, std::int64_t count, bool streamed) {
    const auto made = strips_of(g, layers, count, streamed);
    return std::holds_alternative<std::string>(made) ? std::get<std::string>(made) : std::string();
  };
  auto g = two_convolutions();
  EXPECT_EQ(why(g, kBoth, 4, false), "");
  EXPECT_EQ(why(g, kBoth, 5, false), "half cannot be made in 5 strips: it has 4 columns");
  EXPECT_EQ(why(g, kBoth, 2, true), "same reads an input that comes in once, so it cannot run in strips");
  g.layers[1].output = true;
  EXPECT_EQ(why(g, kBoth, 2, false), "same is needed whole, so its segment cannot run in strips");
  g = two_convolutions();
  g.edges[1].across.whole = true;
  EXPECT_EQ(why(g, kBoth, 2, false), "half cannot be made in strips of columns");
  g = two_convolutions();
  g.layers[1].columns = 1;
  EXPECT_EQ(why(g, kBoth, 2, false), "same cannot be made in strips of columns");
  g = two_convolutions();
  phases::Layer late;
  late.name = "late", late.rows = 8, late.columns = 8, late.row_elements = 32;
  g.layers.push_back(late);
  g.edges.push_back({1, 3, 8, 32, {1, 1, 0, false}, 1, {1, 1, 0, false}});
  EXPECT_EQ(why(g, kBoth, 2, false), "same is read outside its segment, which therefore cannot run in strips");
  const std::vector<RowSegment> strips{{0, 1, 1, {1}, Halo::cached, 2}, {2, 2, 0, {}, Halo::cached}};
  EXPECT_THROW(expand(g, strips, Input::kept), InvariantError);
}

}  // namespace
}  // namespace dse::plan::shared::strips_test
