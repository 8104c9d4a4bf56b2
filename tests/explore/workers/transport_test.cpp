// What a worker sends is what its parent gets.
#include "explore/workers/transport.h"

#include <gtest/gtest.h>

namespace dse::explore::transport_test {
namespace {

TEST(Archive, RoundTrip) {
  const std::map<std::string, double> numbers = {{"a", 1.5}, {"", -0.0}};
  const std::vector<std::string> texts = {"", "one", std::string("\0two", 4)};
  ByteWriter w;
  w << 7 << texts << numbers << std::string("end") << std::vector<std::int64_t>{1, -2};
  int i = 0;
  std::vector<std::string> texts_back;
  std::map<std::string, double> numbers_back;
  std::string end;
  std::vector<std::int64_t> list;
  ByteReader r(w.bytes);
  r >> i >> texts_back >> numbers_back >> end >> list;
  EXPECT_EQ(i, 7);
  EXPECT_EQ(texts_back, texts);
  EXPECT_EQ(numbers_back, numbers);
  EXPECT_EQ(end, "end");
  EXPECT_EQ(list, (std::vector<std::int64_t>{1, -2}));
  EXPECT_TRUE(r.at_end());
}

TEST(Archive, CutShortAnywhereIsAnError) {
  ByteWriter w;
  w << std::string("some text") << std::vector<std::string>{"a", "b"};
  for (std::size_t n = 0; n < w.bytes.size(); ++n) {
    const std::string cut = w.bytes.substr(0, n);
    ByteReader r(cut);
    std::string text;
    std::vector<std::string> list;
    EXPECT_THROW(r >> text >> list, std::runtime_error) << n;
  }
}

plan::LayerChoice unusual_choice() {
  plan::LayerChoice c;
  c.scheme = plan::Scheme::planar;
  c.tile = 3, c.filters = 4, c.channels = 5;
  c.buffering = plan::Buffering::filters_twice;
  c.order = plan::Order::channels_outer;
  c.operands = plan::Operands::tiled;
  c.staging = plan::Staging::sets;
  c.weights_memory = 1, c.output_memory = 2;
  c.output_layout = plan::TensorLayout::chw;
  c.engine = 1;
  c.further = {{"another", 6}};
  return c;
}

TEST(Transport, LayerFront) {
  LayerFront f;
  f.entries.push_back({unusual_choice(), {123, 7, 8}, {1, 2, 3}, 456});
  f.entries.push_back({plan::LayerChoice{}, {124, 0, 0}, {}, 0});
  f.simulated = 1, f.discarded = 2, f.infeasible = 3, f.skipped = 4, f.outside = 5, f.reason = "why";
  const auto g = layer_front_from(to_bytes(f));
  ASSERT_EQ(g.entries.size(), 2u);
  EXPECT_EQ(g.entries[0].choice, unusual_choice());
  EXPECT_EQ(g.entries[0].costs, (Costs{123, 7, 8}));
  EXPECT_EQ(g.entries[0].local, (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(g.entries[0].weight_bytes, 456);
  EXPECT_EQ(std::tuple(g.simulated, g.discarded, g.infeasible, g.skipped, g.outside, g.reason),
            std::tuple(1, 2, 3, 4, 5, "why"));
}

TEST(Transport, Composition) {
  CompositionFront f;
  f.points.push_back({{unusual_choice(), plan::LayerChoice{}}, {1, 0}, {10, 20}, 10, {20, 30, 40}});
  f.bound = {{9, 19}};
  f.boxes = 1, f.labels = 2, f.exact = false, f.infeasible_reason = "none";
  f.beaten = {{3, 4}, {5, 6}};
  const auto g = composition_from(to_bytes(f));
  ASSERT_EQ(g.points.size(), 1u);
  EXPECT_EQ(g.points[0].choices, f.points[0].choices);
  EXPECT_EQ(g.points[0].order, f.points[0].order);
  EXPECT_EQ(g.points[0].values, f.points[0].values);
  EXPECT_EQ(g.points[0].costs, (Costs{20, 30, 40}));
  EXPECT_EQ(g.bound, f.bound);
  EXPECT_EQ(std::tuple(g.points[0].memory, g.boxes, g.labels, g.exact, g.infeasible_reason),
            std::tuple(10, 1, 2, false, "none"));
  ASSERT_EQ(g.beaten.size(), 2u);
  EXPECT_EQ(g.beaten[1].ticks, 6);
}

TEST(Transport, Point) {
  Point p;
  p.id = "abc", p.origin = "user", p.marks = {"knee"};
  p.memory_bytes = 1, p.load_bytes = 2, p.latency_ticks = 3, p.latency_us = 4.5, p.energy_uj = 5.5;
  p.costs = {3, 4, 5};
  p.metrics = {{"m", 6}};
  p.bound_ticks = 7, p.program_bytes = 8, p.tasks = 9, p.startup_bytes = 10, p.verified = true, p.plan_file = "f";
  p.words = {"w"}, p.sections = {"s"}, p.layers = {"l"}, p.layer_kinds = {"k"}, p.file_names = {"f"};
  p.buffers = {{"b", "tensor", "l1", 1, 2, 3, 4, 5, 6, 7, "output of conv"}};
  p.buffers[0].windows = {{1, 2, 3, 4}, {6, 7, 8, 9}}, p.buffers[0].at_peak = {{11, 12}};
  p.assignment = {{"conv.scheme", "planar"}};
  p.uses = {{{{1, 2}, {3, 4}}, 5, 6}, {}};
  p.uses[0].energy.memories = {{1, 2, 3}, {4, 5, 6}}, p.uses[0].energy.engines = {{1, 2, 3, 4, 5}};
  p.run.energy = p.uses[0].energy, p.run.energy.leaked = 7;
  p.rooflines = {{5, 20, 3, {{1, 2}, {3, 4}}}};
  p.loads = {7, 8}, p.energies_fj = {9, 10}, p.images = {11};
  p.run.ticks = 11, p.run.layers.resize(2), p.run.layers[1].ticks[3] = 12, p.run.outputs = {{1, 2}, {}};
  p.run.trace.push_back({1, 2, 3, 4, 5, 6, 7, 8, 9});
  p.run.section_end = {1, 2}, p.run.engines = {{1, 2, 3, 4}}, p.run.memories = {{1, 2, 3, 4}};
  p.run.failure = sim::Failure{sim::Failure::Kind::conflict, "two tasks"};
  const auto bytes = to_bytes(p);
  const auto q = point_from(bytes);
  EXPECT_EQ(to_bytes(q), bytes);
  EXPECT_EQ(q.buffers[0].memory, "l1");
  EXPECT_EQ(q.buffers[0].to_tick, 4);
  EXPECT_EQ(std::tuple(q.buffers[0].first, q.buffers[0].last, q.buffers[0].counted, q.buffers[0].tensor),
            std::tuple(5, 6, 7, "output of conv"));
  ASSERT_EQ(q.buffers[0].windows.size(), 2u);
  EXPECT_EQ(std::tuple(q.buffers[0].windows[1].end, q.buffers[0].at_peak.at(0).bytes), std::tuple(9, 12));
  EXPECT_EQ(q.costs, p.costs);
  EXPECT_EQ(q.sections, p.sections);
  EXPECT_EQ(q.assignment, p.assignment);
  ASSERT_EQ(q.uses.size(), 2u);
  EXPECT_EQ(std::tuple(q.uses[0].memories.at(1).written, q.uses[0].macs, q.uses[0].energy_fj), std::tuple(4, 5, 6));
  EXPECT_EQ(q.uses[0].energy, p.uses[0].energy);
  EXPECT_EQ(q.run.energy, p.run.energy);
  EXPECT_TRUE(q.uses[1].energy.empty());
  ASSERT_EQ(q.rooflines.size(), 1u);
  EXPECT_EQ(std::tuple(q.rooflines[0].macs, q.rooflines[0].ticks, q.rooflines[0].arithmetic), std::tuple(5, 20, 3));
  EXPECT_EQ(q.rooflines[0].memories.at(1).ticks, 4);
  EXPECT_EQ(std::tuple(q.loads, q.energies_fj, q.images), std::tuple(p.loads, p.energies_fj, p.images));
  EXPECT_EQ(q.run.layers[1].ticks[3], 12);
  EXPECT_EQ(q.run.outputs, p.run.outputs);
  EXPECT_EQ(q.run.trace[0].end, 8);
  EXPECT_EQ(std::tuple(q.id, q.origin, q.marks, q.metrics, q.words),
            std::tuple(p.id, p.origin, p.marks, p.metrics, p.words));
  EXPECT_EQ(std::tuple(q.bound_ticks, q.program_bytes, q.tasks, q.startup_bytes, q.verified, q.plan_file),
            std::tuple(7, 8, 9, 10, true, "f"));
  ASSERT_TRUE(q.run.failure);
  EXPECT_EQ(q.run.failure->what, "two tasks");
  p.run.failure.reset();
  EXPECT_FALSE(point_from(to_bytes(p)).run.failure);
}

}  // namespace
}  // namespace dse::explore::transport_test
