// Fronts and notes where an engine is timed by a table of shapes.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "explore/front/accuracy.h"
#include "models/hw/libraries/shape_table.h"
#include "tests/explore/front/brute_force.h"
#include "tests/explore/front/small_spaces.h"
#include "tests/support/random_cases.h"
#include "tests/support/slow.h"

namespace dse::explore::test_support::by_shape_test {
namespace {

/// A row for the call, or for a smaller one; nothing where tables have no rows of it.
std::optional<hw::ShapeCycles> row_for(const nn::KernelCall& call, test::Random& random, bool whole) {
  const auto work = program::call_on(call.op, call.tile);
  if (!hw::shape_of(work)) return std::nullopt;
  const auto some = [&](dse_span s) {
    const std::int64_t n = program::length(s);
    return whole ? n : 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  hw::ShapeCycles r;
  for (const auto& o : hw::table_operators()) {
    if (o.kind != call.op.kind) continue;
    r.op = o.name, r.wide = program::arithmetic_of(work).wide;
    if (o.windowed) {
      r.kernel_h = call.op.kernel_h, r.kernel_w = call.op.kernel_w;
      r.stride_h = call.op.stride_h, r.stride_w = call.op.stride_w;
      r.dilation_h = std::max(1, call.op.dilation_h), r.dilation_w = std::max(1, call.op.dilation_w);
    }
    r.rows = some(call.tile.y), r.columns = some(call.tile.x), r.channels = some(call.tile.c);
    r.depth = o.sums ? some(call.tile.k) : 1;
    r.cycles = 20 + hw::shape_of(r).volume() * static_cast<std::int64_t>(1 + random() % 8) / 4;
  }
  return r;
}

/// Shapes of every layer; all of a layer is among them, unless `gaps` leaves it out of some.
void give_table(hw::Engine& engine, const nn::Network& network, test::Random& random, bool gaps) {
  engine.kind = hw::EngineKind::table;
  auto& rows = engine.cycles_by_shape;
  for (const auto& op : network.operators)
    for (const auto& call : op.calls)
      for (int i = gaps && random() % 4 == 0 ? 1 : 0; i < 6; ++i)
        if (const auto row = row_for(call, random, i == 0)) rows.push_back(*row);
  std::sort(rows.begin(), rows.end(), [](const hw::ShapeCycles& a, const hw::ShapeCycles& b) {
    return hw::shape_of(a).volume() < hw::shape_of(b).volume();
  });
  for (auto& large : rows)
    for (const auto& r : rows)
      if (hw::shape_of(large).covers(hw::shape_of(r))) large.cycles = std::max(large.cycles, r.cycles);
}

/// Small spaces on arrays, with tables. @returns how many fronts have points.
int expect_brute_force_by_shape(bool rates, bool gaps) {
  int spaces = 0, with_points = 0;
  std::int64_t infeasible = 0;
  int arrays = 0;
  std::uint64_t seed = 100;
  for (const auto& s : small_spaces()) {
    test::Random random(++seed);
    if (rates && seed % 2 == 0) continue;  // half of them: rates are what the other spaces have
    auto device = std::make_shared<hw::Device>(*s.c.device);
    auto& engine = device->engines[static_cast<std::size_t>(device->compute_engine())];
    if (engine.kind != hw::EngineKind::mac_array || !test::in_share(arrays++)) continue;
    give_table(engine, *s.c.network, random, gaps);
    if (!rates) engine.macs_per_cycle.clear();
    auto c = s.c;
    c.device = device;
    const auto front = expect_brute_force(c, s.spec, fmt::format("{}, by shape{}", s.name, rates ? " or rate" : ""));
    ++spaces, with_points += !front.expected.empty(), infeasible += front.brute.infeasible;
  }
  EXPECT_GE(spaces, test::of_share(8));
  fmt::print("{} spaces, {} with points, {} infeasible candidates\n", spaces, with_points, infeasible);
  return with_points;
}

TEST(BruteForce, FrontsEqualItWhereATableTellsAllCycles) {
  EXPECT_GE(expect_brute_force_by_shape(false, false), test::of_share(8));
}
TEST(BruteForce, FrontsEqualItWhereRatesStandInForATable) {
  EXPECT_GE(expect_brute_force_by_shape(true, true), test::of_share(8));
}
TEST(BruteForce, FrontsEqualItWhereATableHasGaps) { EXPECT_GE(expect_brute_force_by_shape(false, true), 1); }

TEST(TimingNotes, NameTheLayersThatNoRowCovers) {
  for (const auto& s : small_spaces()) {
    auto device = std::make_shared<hw::Device>(*s.c.device);
    auto& engine = device->engines[static_cast<std::size_t>(device->compute_engine())];
    if (engine.kind != hw::EngineKind::mac_array) continue;
    test::Random random(7);
    give_table(engine, *s.c.network, random, false);
    auto c = s.c;
    c.device = device;
    EXPECT_THAT(timing_notes(c), testing::IsEmpty()) << s.name;
    engine.cycles_by_shape.clear();
    const auto notes = timing_notes(c);
    ASSERT_EQ(notes.size(), 1u) << s.name;
    EXPECT_THAT(notes[0], testing::HasSubstr("calls that no row of the table of " + engine.name + " covers"));
    for (const auto& op : c.network->operators)
      if (op.macs > 0) EXPECT_THAT(notes[0], testing::HasSubstr(op.name));
    engine.macs_per_cycle.clear();  // then they are not computed at all
    EXPECT_THAT(timing_notes(c), testing::IsEmpty()) << s.name;
    return;
  }
  FAIL() << "no small space is on an array";
}

}  // namespace
}  // namespace dse::explore::test_support::by_shape_test
