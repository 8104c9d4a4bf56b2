// What a table of shapes gives for calls that are rows of it, smaller than rows, parts of others, or in no row.
#include "models/hw/libraries/shape_table.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "base/diagnostics.h"
#include "models/hw/compute_timing.h"
#include "tests/hw/counted_calls.h"

namespace dse::hw::shape_table_test {
namespace {

using testing::HasSubstr;

ShapeCycles conv_row(int kernel, std::int64_t rows, std::int64_t columns, std::int64_t channels, std::int64_t depth,
                     std::int64_t cycles) {
  ShapeCycles r;
  r.op = "CONV_2D", r.kernel_h = r.kernel_w = kernel;
  r.rows = rows, r.columns = columns, r.channels = channels, r.depth = depth, r.cycles = cycles;
  return r;
}

Engine engine(std::vector<ShapeCycles> rows) {
  Engine e;
  e.name = "npu", e.kind = EngineKind::table, e.cycles_by_shape = std::move(rows);
  return e;
}

/// Two rows, no rates.
Engine small() { return engine({conv_row(3, 4, 8, 8, 8, 100), conv_row(3, 8, 8, 16, 8, 300)}); }

dse_op conv(int out, int channels, int filters, int kernel = 3) {
  return test::square_conv(out + kernel - 1, channels, out, filters, kernel, 1);
}

program::CallWork tile_of(const dse_op& op, int rows, int columns, int filters, int depth) {
  auto work = program::whole_call(op);
  work.tile.y.hi = rows, work.tile.x.hi = columns, work.tile.c.hi = filters, work.tile.k.hi = depth;
  return work;
}

TEST(ShapeTable, ARowsOwnShapeTakesItsCycles) {
  const ShapeTable table(small());
  const auto op = conv(8, 8, 16);
  EXPECT_EQ(table.cycles(tile_of(op, 8, 8, 16, 8)), 300);
  EXPECT_EQ(table.cycles(tile_of(op, 4, 8, 8, 8)), 100);
}

TEST(ShapeTable, WhatLiesBetweenRowsTakesTheCheapestThatCoversIt) {
  const ShapeTable table(small());
  const auto op = conv(8, 8, 16);
  EXPECT_EQ(table.cycles(tile_of(op, 1, 1, 1, 1)), 100);
  EXPECT_EQ(table.cycles(tile_of(op, 4, 8, 9, 8)), 300);  // a channel more
  EXPECT_EQ(table.cycles(tile_of(op, 5, 8, 8, 8)), 300);  // a row more
}

TEST(ShapeTable, WindowStrideAndTypeAreARowsOwn) {
  auto e = small();
  EXPECT_FALSE(table_covers(e, program::whole_call(conv(4, 8, 8, 2))));
  auto op = conv(4, 8, 8);
  EXPECT_TRUE(table_covers(e, program::whole_call(op)));
  op.stride_w = 2;
  EXPECT_FALSE(table_covers(e, program::whole_call(op)));
  op.stride_w = 1, op.dilation_h = 2;
  EXPECT_FALSE(table_covers(e, program::whole_call(op)));
  op.dilation_h = 1, op.in_type = DSE_I16;
  EXPECT_FALSE(table_covers(e, program::whole_call(op)));
  e.cycles_by_shape[0].wide = true;
  EXPECT_TRUE(table_covers(e, program::whole_call(op)));
  op.in_type = DSE_I8, op.groups = 2;
  EXPECT_FALSE(table_covers(small(), program::whole_call(op)));
}

TEST(ShapeTable, PixelsOfPointwiseCallsAreInAnyRows) {
  const auto e = engine({conv_row(1, 4, 8, 8, 8, 50)});
  EXPECT_TRUE(table_covers(e, tile_of(conv(64, 8, 8, 1), 32, 1, 8, 8)));  // a block of pixels
  EXPECT_FALSE(table_covers(e, tile_of(conv(64, 8, 8, 1), 33, 1, 8, 8)));
  EXPECT_FALSE(table_covers(small(), tile_of(conv(64, 8, 8), 32, 1, 8, 8)));  // windows have rows
}

TEST(ShapeTable, DepthIsOfOperatorsThatSumOverChannels) {
  ShapeCycles row;
  row.op = "DEPTHWISE_CONV_2D", row.kernel_h = row.kernel_w = 3, row.rows = row.columns = row.channels = 8;
  auto op = conv(8, 8, 8);
  op.kind = DSE_DEPTHWISE_CONV_2D, op.multiplier = 1;
  EXPECT_TRUE(table_covers(engine({row}), program::whole_call(op)));
  op.in_c = 4, op.multiplier = 2;
  EXPECT_FALSE(table_covers(engine({row}), program::whole_call(op)));
  ShapeCycles add;
  add.op = "ADD", add.rows = add.columns = add.channels = 8, add.cycles = 7;
  auto sum = conv(8, 8, 8, 1);
  sum.kind = DSE_ADD, sum.kernel_h = sum.stride_h = 0;  // kernels do not look at windows of sums
  EXPECT_EQ(ShapeTable(engine({add})).cycles(program::whole_call(sum)), 7);
}

TEST(ShapeTable, WhatNoRowCoversGoesByRatesOrIsNotComputed) {
  auto e = small();
  const auto large = program::whole_call(conv(9, 8, 16));
  EXPECT_EQ(why_not_timed(e, large),
            "no row of the table of npu covers CONV_2D of 9x9x16 from 8 channels, kernel 3x3, stride 1x1, int8, and it "
            "has no macs_per_cycle for int8");
  EXPECT_THROW(ShapeTable(e).cycles(large), InvariantError);
  EXPECT_EQ(why_not_timed(e, tile_of(conv(9, 8, 16), 4, 8, 8, 8)), "");
  e.macs_per_cycle["int8"] = {4, 1};
  EXPECT_EQ(why_not_timed(e, large), "");
  EXPECT_EQ(ShapeTable(e).cycles(large), 9 * 9 * 16 * 8 * 9 / 4);
  auto wide = conv(4, 8, 8);
  wide.in_type = DSE_I16;
  EXPECT_THAT(why_not_timed(e, program::whole_call(wide)), HasSubstr("no macs_per_cycle for int16"));
  auto grouped = conv(4, 8, 8);
  grouped.groups = 2;
  EXPECT_THAT(why_not_timed(small(), program::whole_call(grouped)), HasSubstr("can have no row for such a conv"));
}

TEST(ShapeTable, OperatorsWithoutProductsNeedARateOnlyWhereTheTableHasThem) {
  auto sum = conv(9, 8, 8, 1);
  sum.kind = DSE_ADD;
  const auto call = program::whole_call(sum);
  EXPECT_EQ(why_not_timed(small(), call), "");
  EXPECT_EQ(ShapeTable(small()).cycles(call), 0);  // as on any engine without a rate for it
  ShapeCycles row;
  row.op = "ADD", row.rows = 4;
  auto e = engine({row});
  EXPECT_THAT(why_not_timed(e, call), HasSubstr("no cycles_per_element for add"));
  EXPECT_THROW(ShapeTable(e).cycles(call), InvariantError);
  e.cycles_per_element["default"] = {2, 1};
  EXPECT_EQ(why_not_timed(e, call), "");
  EXPECT_EQ(ShapeTable(e).cycles(call), 2 * 9 * 9 * 8);
}

TEST(ShapeTable, EnginesWithoutATableAreNotAsked) {
  Engine cpu;
  EXPECT_EQ(why_not_timed(cpu, program::whole_call(conv(9, 8, 16))), "");
  EXPECT_FALSE(table_is_asked(cpu, program::whole_call(conv(9, 8, 16))));
}

TEST(ShapeTable, IsALibraryOfAnEngineThatStreams) {
  const ComputeTiming timing(small(), "cmsis-nn");
  EXPECT_TRUE(timing.times_accesses());
  EXPECT_TRUE(timing.tells_widths_apart());
  EXPECT_EQ(timing.library().cycles(program::whole_call(conv(4, 8, 8))), 100);
}

TEST(ShapeTable, TheMostProductsPerCycleAreThoseOfItsBestRow) {
  EXPECT_DOUBLE_EQ(most_macs_per_cycle(small(), false), 8 * 8 * 16 * 8 * 9 / 300.0);
  EXPECT_DOUBLE_EQ(most_macs_per_cycle(small(), true), 0);
}

TEST(ShapeTable, TheLeastIsThatOfTheRowThatIsBestUsed) {
  const ShapeTable table(small());
  const auto op = conv(8, 8, 16);
  // Four calls of the small row do what one of the large does in 300 cycles.
  EXPECT_EQ(table.least_cycles(program::whole_call(op)), 300);
  EXPECT_EQ(table.least_cycles(tile_of(op, 4, 8, 8, 8)), 100);
  EXPECT_EQ(table.least_cycles(tile_of(op, 4, 8, 12, 8)), 150);  // one and a half, at best
  // One call less of rows that do not fit: of the large row, what 5 rows of 16 channels take of it.
  EXPECT_EQ(table.least_cycles(tile_of(op, 5, 8, 16, 8)), 250);
}

/// Rows of one window that cost more the larger they are: each takes the most of those that it covers, and something.
std::vector<ShapeCycles> random_rows(std::mt19937& random, const dse_op& op, int count) {
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  std::vector<ShapeCycles> rows;
  for (int i = 0; i < count; ++i) {
    ShapeCycles r;
    for (const auto& o : table_operators())
      if (o.kind == op.kind) {
        r.op = o.name;
        if (o.windowed)
          r.kernel_h = op.kernel_h, r.kernel_w = op.kernel_w, r.stride_h = op.stride_h, r.stride_w = op.stride_w;
        if (o.sums) r.depth = draw(1, op.in_c + 2);
      }
    r.rows = draw(1, op.out_h + 2), r.columns = draw(1, op.out_w + 2), r.channels = draw(1, op.out_c + 2);
    r.cycles = draw(1, 200);
    rows.push_back(r);
  }
  std::sort(rows.begin(), rows.end(),
            [](const ShapeCycles& a, const ShapeCycles& b) { return shape_of(a).volume() < shape_of(b).volume(); });
  for (auto& large : rows)
    for (const auto& r : rows)
      if (shape_of(large).covers(shape_of(r))) large.cycles = std::max(large.cycles, r.cycles);
  return rows;
}

dse_op random_op(std::mt19937& random) {
  const auto draw = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  auto op = test::square_conv(0, draw(1, 9), 0, draw(1, 9), draw(1, 3), draw(1, 2));
  op.out_h = draw(1, 9), op.out_w = draw(1, 7), op.in_h = op.out_h + 2, op.in_w = op.out_w + 2;
  switch (draw(0, 4)) {
    case 0:
      op.kind = DSE_DEPTHWISE_CONV_2D, op.multiplier = 1, op.in_c = op.out_c;
      break;
    case 1:
      op.kind = DSE_FULLY_CONNECTED, op.out_h = op.out_w = op.in_h = op.in_w = 1;
      op.in_c = draw(1, 30), op.out_c = draw(1, 30);
      break;
    case 2:
      op.kind = DSE_ADD, op.in_c = op.out_c;
      break;
    default:
      break;
  }
  return op;
}

TEST(ShapeTable, NoCutTakesLessThanTheLeast) {
  std::mt19937 random(11);
  const auto draw = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  int covered = 0, partly = 0, tight = 0;
  for (int i = 0; i < 6000; ++i) {
    const auto op = random_op(random);
    auto e = engine(random_rows(random, op, draw(1, 8)));
    e.macs_per_cycle["int8"] = {draw(1, 40), draw(1, 20)};
    e.cycles_per_element["default"] = {draw(0, 6), draw(1, 6)};
    const ShapeTable library(e);
    const auto whole = program::whole_call(op);
    const bool sums = op.kind == DSE_CONV_2D || op.kind == DSE_FULLY_CONNECTED;
    const test::Cut cut{draw(1, op.out_h), draw(1, op.out_w), draw(1, op.out_c), sums ? draw(1, op.in_c) : op.in_c};
    const auto sum = test::cycles_of_cut(library, op, cut), least = library.least_cycles(whole);
    EXPECT_GE(sum, least) << i;
    EXPECT_GE(library.cycles(whole), least) << i;
    // A part that is covered takes no more than a larger one that is.
    const auto part = tile_of(op, cut.rows, cut.columns, cut.filters, cut.depth);
    if (table_covers(e, whole)) {
      EXPECT_TRUE(table_covers(e, part)) << i;
      EXPECT_LE(library.cycles(part), library.cycles(whole)) << i;
    }
    covered += table_covers(e, whole), partly += !table_covers(e, whole) && table_covers(e, part);
    tight += least == library.cycles(whole) || least == sum;
  }
  EXPECT_GT(covered, 500);
  EXPECT_GT(partly, 500);
  EXPECT_GT(tight, 500);
}

TEST(ShapeTable, EveryRowTakesItsOwnCyclesInAnyTable) {
  std::mt19937 random(12);
  for (int i = 0; i < 500; ++i) {
    auto op = random_op(random);
    const auto rows = random_rows(random, op, 1 + static_cast<int>(random() % 12));
    const ShapeTable table(engine(rows));
    for (const auto& r : rows) {
      op.out_h = static_cast<int>(r.rows), op.out_w = static_cast<int>(r.columns);
      op.out_c = static_cast<int>(r.channels), op.in_c = static_cast<int>(r.depth);
      EXPECT_EQ(table.cycles(program::whole_call(op)), r.cycles) << i;
    }
  }
}

}  // namespace
}  // namespace dse::hw::shape_table_test
