// One loop nest for every order: where loads stand, what stays in the nearest memory, how often operands travel, and
// that every legal order of the tasks computes the interpreter's bytes.
#include "plan/layer/nest/nest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "models/nn/import.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/network/layers.h"
#include "plan/place/contexts.h"
#include "plan/plan.h"
#include "program/kinds.h"
#include "tests/plan/reference_executor.h"
#include "tests/support/random_cases.h"
#include "tests/support/slow.h"

namespace dse::plan::nest_test {
namespace {

using testing::ElementsAre;

/// An array that reaches l1 and, where its operands may not be tiled, l2; the input and output lie in l2, filters in
/// l3.
hw::DevicePtr array(bool reaches_l2 = false) {
  auto d = std::make_shared<hw::Device>();
  d->name = "array", d->clock_hz = 100'000'000, d->kernel_library = "none";
  d->memories = {{.name = "l1", .size = 64 << 10, .width = {4, 1}, .on_chip = true},
                 {.name = "l2", .size = 1 << 20, .width = {4, 1}, .on_chip = true},
                 {.name = "l3", .size = 8 << 20, .width = {1, 1}}};
  hw::Engine compute;
  compute.name = "array", compute.kind = hw::EngineKind::mac_array, compute.memories = {0};
  if (reaches_l2) compute.memories.push_back(1);
  compute.macs_per_cycle["int8"] = {16, 1};
  hw::Engine dma;
  dma.name = "dma", dma.kind = hw::EngineKind::dma, dma.links = {{1, 0}, {2, 0}, {2, 1}}, dma.channels = 2;
  d->engines = {compute, dma};
  d->constants = 2, d->io = 1;
  return d;
}

/// 12 x 10 x 16, a 3 x 3 window, 24 filters.
nn::NetworkPtr one_layer() {
  Diagnostics d;
  auto n = nn::import_yaml(
      "format: 1\nname: n\ninput: {shape: [1, 12, 10, 16], scale: 0.02, zero_point: 0}\nlayers:\n"
      "  - conv: {filters: 24, kernel: 3, padding: same}\n",
      "n.yaml", d);
  EXPECT_TRUE(n) << d.text();
  return n;
}

LayerChoice cut(Order order, int channels = 4) {
  LayerChoice c;
  c.scheme = channels ? Scheme::planar : Scheme::interleaved;
  c.tile = 3, c.filters = 6, c.channels = channels, c.order = order, c.operands = Operands::tiled;
  c.output_memory = 1;
  return c;
}

LayerGeometry geometry(const LayerChoice& c, bool reaches_l2 = false) {
  const auto n = one_layer();
  const auto d = array(reaches_l2);
  return layer_geometry(context_of(*n, *d, {c}, 0, true), c);
}

TEST(Nest, LoadsStandAtTheInnermostLoopThatTheyVaryWith) {
  const auto outer = geometry(cut(Order::filters_outer)).nest;
  EXPECT_THAT(outer.loops, ElementsAre(Loop::sets, Loop::rows, Loop::steps));
  EXPECT_EQ(outer.input.loop, 2);
  EXPECT_EQ(outer.filters.loop, 2);
  EXPECT_EQ(outer.parameters, 0);
  EXPECT_EQ(outer.output.loop, 1);
  const auto input_stays = geometry(cut(Order::rows_outer)).nest;
  EXPECT_THAT(input_stays.loops, ElementsAre(Loop::rows, Loop::steps, Loop::sets));
  EXPECT_EQ(input_stays.input.loop, 1);
  EXPECT_EQ(input_stays.filters.loop, 2);
  EXPECT_EQ(input_stays.parameters, -1);
  EXPECT_EQ(input_stays.output.loop, 0);
  const auto filters_stay = geometry(cut(Order::channels_outer)).nest;
  EXPECT_THAT(filters_stay.loops, ElementsAre(Loop::sets, Loop::steps, Loop::rows));
  EXPECT_EQ(filters_stay.input.loop, 2);
  EXPECT_EQ(filters_stay.filters.loop, 1);
  EXPECT_EQ(filters_stay.output.loop, 0);
  EXPECT_EQ(geometry(cut(Order::channels_outer, 0)).order, Order::filters_outer) << "without steps they coincide";
}

/// Bytes of the layer's own buffers.
std::map<std::string, std::int64_t> held(const LayerChoice& c) {
  const auto g = geometry(c);
  EXPECT_TRUE(g.feasible) << g.reason;
  std::map<std::string, std::int64_t> out;
  for (const auto& b : g.buffers) out[b.name] = b.size;
  return out;
}

TEST(Nest, HoldsWhatItsOrderKeeps) {
  const int window = 5;  // rows of a tile of three
  auto stays = cut(Order::filters_outer);
  EXPECT_EQ(held(stays).at("partial_sums"), 4 * 3 * 10 * 6);
  EXPECT_EQ(held(stays).at("in0"), window * 10 * 2 * 4);
  EXPECT_EQ(held(stays).at("weights"), 6 * 2 * 4 * 9);
  EXPECT_EQ(held(stays).at("out"), 2 * 3 * 10 * 6);
  auto rows = cut(Order::rows_outer);
  EXPECT_EQ(held(rows).at("partial_sums"), 4 * 3 * 10 * 24);
  EXPECT_EQ(held(rows).at("in0"), window * 10 * 2 * 4);
  EXPECT_EQ(held(rows).at("weights"), 2 * 6 * 4 * 9);
  EXPECT_EQ(held(rows).at("qparams"), 24 * 12);
  EXPECT_EQ(held(rows).at("out"), 2 * 3 * 10 * 24);
  auto channels = cut(Order::channels_outer);
  EXPECT_EQ(held(channels).at("partial_sums"), 4 * 12 * 10 * 6);
  EXPECT_EQ(held(channels).at("in0"), (window + 3) * 10 * 4);
  EXPECT_EQ(held(channels).at("weights"), 6 * 2 * 4 * 9);
  EXPECT_EQ(held(channels).at("out"), 12 * 10 * 2 * 6);
}

TEST(Nest, EachOperandHasItsBuffers) {
  auto c = cut(Order::filters_outer, 0);
  const std::int64_t record = 12 + 9 * 16, row = 10 * 16, out = 3 * 10 * 6;
  const std::map<Buffering, std::array<std::int64_t, 3>> wanted = {
      {Buffering::once, {5 * row, 6 * record, out}},
      {Buffering::twice, {8 * row, 12 * record, 2 * out}},
      {Buffering::thrice, {11 * row, 18 * record, 3 * out}},
      {Buffering::input_twice, {8 * row, 6 * record, out}},
      {Buffering::filters_twice, {5 * row, 12 * record, out}},
      {Buffering::output_twice, {5 * row, 6 * record, 2 * out}},
      {Buffering::input_once, {5 * row, 12 * record, 2 * out}},
      {Buffering::filters_once, {8 * row, 6 * record, 2 * out}},
      {Buffering::output_once, {8 * row, 12 * record, out}}};
  EXPECT_EQ(wanted.size(), buffering_names().size());
  for (const auto& [buffering, bytes] : wanted) {
    c.buffering = buffering;
    const auto h = held(c);
    EXPECT_EQ(h.at("in0"), bytes[0]) << static_cast<int>(buffering);
    EXPECT_EQ(h.at("weights"), bytes[1]) << static_cast<int>(buffering);
    EXPECT_EQ(h.at("out"), bytes[2]) << static_cast<int>(buffering);
  }
}

/// Bytes that copies bring to l1: of the input, of filters without their records.
std::pair<std::int64_t, std::int64_t> traffic(const LayerChoice& c) {
  const auto n = one_layer();
  const auto d = array();
  auto made = make_plan(*n, *d, {c});
  EXPECT_TRUE(std::holds_alternative<Plan>(made));
  const auto p = lower(*n, *d, std::get<Plan>(made));
  program::Walker walker(p);
  program::TaskInstance t;
  std::int64_t input = 0, filters = 0;
  while (walker.next(t)) {
    if (t.task->kind != &program::copy_kind()) continue;
    std::vector<program::Access> accesses;
    t.task->kind->footprint(t, accesses);
    const auto from = accesses.front();
    std::int64_t bytes = 0;
    for (const auto& a : accesses) bytes += a.write ? 0 : a.end - a.begin;
    const auto& copy = static_cast<const program::CopyPayload&>(*t.task->payload);
    if (copy.to.arena != 0) continue;
    if (from.arena == 1) input += bytes;
    if (from.arena == 2 && copy.to.shape.stride_h != 12) filters += bytes;
  }
  return {input, filters};
}

/// The input once or as often as there are filter sets, filters once or as often as there are row tiles.
TEST(Nest, WhatStaysIsReadOnce) {
  const std::int64_t image = 12 * 10 * 16, taps = 24 * 9 * 16;
  const std::int64_t bands = (4 + 5 + 5 + 4) * 10 * 16;  // rows that windows of tiles share come with each of them
  EXPECT_EQ(traffic(cut(Order::filters_outer)), std::pair(4 * bands, 4 * taps));
  EXPECT_EQ(traffic(cut(Order::rows_outer)), std::pair(bands, 4 * taps));
  EXPECT_EQ(traffic(cut(Order::channels_outer)), std::pair(4 * image, taps));
}

TEST(Nest, SumsStandWhereTheEngineReaches) {
  auto c = cut(Order::filters_outer);
  c.sums_memory = 1;
  EXPECT_EQ(geometry(c).reason, "array does not reach l2, where partial sums are to stand");
  const auto g = geometry(c, true);
  ASSERT_TRUE(g.feasible) << g.reason;
  EXPECT_EQ(g.find("partial_sums")->memory, 1);
  const auto n = one_layer();
  const auto d = array(true);
  const auto domain = ChoiceRegistry::standard().find("sums")->domain(context_of(*n, *d, {c}, 0, true), c);
  EXPECT_THAT(domain, ElementsAre(kNearest, 1));
}

TEST(Nest, TilesPassThroughTheMemoryBetween) {
  const auto d = test::with_tensors_outside(*array());
  const auto n = one_layer();
  auto c = cut(Order::filters_outer, 0);
  c.output_memory = 2;
  const auto g = layer_geometry(context_of(*n, *d, {c}, 0, true), c);
  ASSERT_TRUE(g.feasible) << g.reason;
  EXPECT_EQ(g.inputs[0].way.through, 1);
  EXPECT_EQ(g.find("in0")->size, 8 * 10 * 16);
  EXPECT_EQ(g.find("in0_stage")->size, 8 * 10 * 16) << "a window, and the rows that come while it is loaded";
  EXPECT_EQ(g.find("in0_stage")->memory, 1);
  EXPECT_EQ(g.find("out_stage")->size, 2 * 3 * 10 * 6);
  c.scheme = Scheme::planar, c.channels = 4;
  const auto steps = layer_geometry(context_of(*n, *d, {c}, 0, true), c);
  EXPECT_EQ(steps.find("in0_stage")->size, 5 * 10 * 8) << "bands of two steps";
}

/// Any order, buffers of each operand and place of sums, whatever the domains would offer.
TEST(Nest, EveryOrderOfTasksComputesTheInterpretersBytes) {
  std::map<std::tuple<Order, bool, Buffering>, int> seen, through;  // order, with steps
  int elsewhere = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(dse::test::of_cases(1600)); ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    const auto drawn = test::random_device(random);
    auto device = std::make_shared<hw::Device>(*drawn);
    if (seed % 3 == 0) device->engines.front().memories = {0, 1};
    if (const auto outside = seed % 3 == 1 ? test::with_tensors_outside(*drawn) : nullptr) device = outside;
    auto choices = test::random_choices(random, *network, *device, true);
    for (const int op : layers_of(*network, true)) {
      auto& c = choices[static_cast<std::size_t>(op)];
      if (c.phases != Phases::no || c.prefetch || c.staging == Staging::sets) continue;
      c.order = static_cast<Order>(test::pick(random, 0, 2));
      c.buffering = static_cast<Buffering>(test::pick(random, 0, 8));
      if (seed % 3 == 0) c.sums_memory = test::pick(random, -1, 1);
    }
    auto made = make_plan(*network, *device, choices);
    const auto* plan = std::get_if<Plan>(&made);
    if (!plan) continue;
    const auto geometry = geometries(*network, *device, plan->choices, plan->alias_reshapes);
    for (const int op : layers_of(*network, true)) {
      const auto& g = geometry[static_cast<std::size_t>(op)];
      if (g.whole || g.nest.loops.empty()) continue;
      const std::tuple kind = {g.order, g.steps > 1, plan->choices[static_cast<std::size_t>(op)].buffering};
      ++seen[kind];
      if (!g.inputs[0].way.direct() || !g.output_way.direct()) ++through[kind];
      elsewhere += g.steps > 1 && g.sums_memory != g.near;
    }
    const auto program = lower(*network, *device, *plan);
    const auto constants = constants_image(*network, *device, *plan);
    std::vector<std::vector<std::uint8_t>> inputs;
    for (std::size_t i = 0; i < network->inputs.size(); ++i)
      inputs.push_back(nn::seeded_input(network->tensors[network->inputs[i]], static_cast<int>(i), seed));
    const auto truth = nn::interpret(*network, inputs);
    for (const auto order : {test::Interleaving::eager, test::Interleaving::lazy, test::Interleaving::random}) {
      const auto result = test::execute(program, constants, inputs, order, seed);
      ASSERT_TRUE(result.ok()) << "seed " << seed << ": " << *result.failure;
      for (std::size_t o = 0; o < network->outputs.size(); ++o)
        ASSERT_EQ(result.outputs[o], truth[network->outputs[o]]) << "seed " << seed;
    }
  }
  if (dse::test::of_cases(4) < 4) return;  // too few to have them all
  for (const auto order : {Order::filters_outer, Order::rows_outer, Order::channels_outer})
    for (int b = 0; b < 9; ++b)
      for (const bool steps : {false, true}) {
        if (order == Order::channels_outer && !steps) continue;
        EXPECT_GT((seen[{order, steps, static_cast<Buffering>(b)}]), 3) << name_of(order) << " " << steps << " " << b;
        EXPECT_GT((through[{order, steps, static_cast<Buffering>(b)}]), 0)
            << name_of(order) << " " << steps << " " << b;
      }
  EXPECT_GT(elsewhere, 20);
}

}  // namespace
}  // namespace dse::plan::nest_test
