// Filters that the layer before fetches: where the copy stands, how long its buffer lives, what cannot be, and that
// the bytes are the same.
#include "plan/layer/prefetch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "models/hw/device_reader.h"
#include "plan/check/check.h"
#include "plan/choices/assignment.h"
#include "plan/document/document.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/network/layers.h"
#include "plan/place/contexts.h"
#include "sim/platform.h"
#include "tests/plan/segment/branched_networks.h"
#include "tests/plan/segment/segments.h"
#include "tests/support/random_cases.h"

namespace dse::plan::prefetch_test {
namespace {

using testing::HasSubstr;

hw::DevicePtr shipped(const std::string& name) {
  Diagnostics d;
  auto device = hw::read_device(std::string(DSE_SOURCE_DIR) + "/configs/devices/" + name + ".yaml", {}, d);
  EXPECT_NE(device, nullptr) << d.text();
  return device;
}

nn::NetworkPtr three_layers() {
  test::BranchedNetwork n("three");
  return n.build({n.conv(n.conv(n.conv(n.input(8, 8, 4), 16), 16), 8)});
}

std::vector<LayerChoice> plain(const nn::Network& network, const hw::Device& device) {
  std::vector<LayerChoice> out(network.operators.size());
  for (auto& c : out) c.output_memory = device.io;
  return out;
}

const PlacedBuffer& buffer(const Plan& plan, const std::string& name) {
  const auto it = std::find_if(plan.buffers.begin(), plan.buffers.end(), [&](const auto& b) { return b.name == name; });
  if (it == plan.buffers.end()) throw InvariantError("no buffer " + name);
  return *it;
}

std::string infeasible(const nn::Network& n, const hw::Device& d, std::vector<LayerChoice> choices,
                       NetworkChoice whole = {}) {
  const auto made = make_plan(n, d, std::move(choices), whole);
  const auto* bad = std::get_if<Infeasible>(&made);
  return bad ? bad->what : "";
}

/// Copies of a section, by the buffers that they fill.
int copies_into(const program::Program& p, int section, const PlacedBuffer& to) {
  program::Walker walker(p, section, section);
  program::TaskInstance t;
  int n = 0;
  while (walker.next(t)) {
    const auto* copy = dynamic_cast<const program::CopyPayload*>(t.task->payload.get());
    n += copy && copy->to.arena == to.memory && copy->to.offset == to.offset;
  }
  return n;
}

TEST(Prefetch, TheFirstCopyIsMadeInTheSectionBefore) {
  const auto n = three_layers();
  for (const auto* name : {"gap8-class", "dsp-l1-l2-l3"}) {
    const auto device = shipped(name);
    auto choices = plain(*n, *device);
    choices[1].prefetch = true;
    const auto made = make_plan(*n, *device, choices);
    ASSERT_TRUE(std::holds_alternative<Plan>(made)) << std::get<Infeasible>(made).what;
    const auto& plan = std::get<Plan>(made);
    const auto geometry = geometries(*n, *device, choices, true)[1];
    const auto& b = buffer(plan, n->operators[1].name + "." + prefetch_buffer(geometry));
    EXPECT_EQ(b.first, 0) << name;
    EXPECT_EQ(b.last, 1) << name;
    const auto program = lower(*n, *device, plan);
    EXPECT_EQ(copies_into(program, 0, b), 1) << name;
    EXPECT_EQ(copies_into(program, 1, b), 0) << name;
    const auto without = std::get<Plan>(make_plan(*n, *device, plain(*n, *device)));
    EXPECT_NE(plan.id(), without.id());
    EXPECT_THAT(in_words(plan, *n, *device)[1], HasSubstr("while the layer before runs"));
  }
}

/// Two layers that compute longer than the filters of the second take: what they took is saved.
TEST(Prefetch, IsHiddenBehindWhatIsComputed) {
  const auto n = three_layers();
  const auto device = shipped("gap8-class");
  auto choices = plain(*n, *device);
  const auto ticks = [&](const std::vector<LayerChoice>& c) {
    const auto program = lower(*n, *device, std::get<Plan>(make_plan(*n, *device, c)));
    auto& platform = sim::Platform::instance();
    platform.configure(device);
    return platform.run({sim::whole_program(program, *device)}, {.data = false, .accounts = false}).ticks;
  };
  const auto before = ticks(choices);
  choices[1].prefetch = true;
  const auto after = ticks(choices);
  EXPECT_LT(after, before);
}

/// A table that has cycles for some tiles only says nothing about whether filters can come ahead.
TEST(Prefetch, IsPossibleWhereTheWholeLayerHasNoCycles) {
  const auto n = three_layers();
  auto device = std::make_shared<hw::Device>(*shipped("gap8-class"));
  const auto context = [&] { return context_of(*n, *device, plain(*n, *device), 1, true); };
  const auto before = possible_prefetch(context());
  EXPECT_GT(before.bytes, 0);
  auto& engine = device->engines[static_cast<std::size_t>(device->compute_engine())];
  engine.kind = hw::EngineKind::table;
  engine.macs_per_cycle.clear();
  EXPECT_FALSE(layer_geometry(context(), plain(*n, *device)[1]).feasible);
  EXPECT_TRUE(possible_prefetch(context()).same_as(before));
}

TEST(Prefetch, SaysWhatCannotBe) {
  const auto n = three_layers();
  const auto device = shipped("gap8-class");
  const auto with = [&](int op, auto change) {
    auto choices = plain(*n, *device);
    choices[op].prefetch = true;
    change(choices);
    return infeasible(*n, *device, choices);
  };
  EXPECT_THAT(with(0, [](auto&) {}), HasSubstr("it is the first"));
  EXPECT_THAT(with(1, [&](auto& c) { c[1].weights_memory = device->io; }), HasSubstr("they are resident"));
  EXPECT_THAT(with(1, [](auto& c) { c[1].filters = 4, c[1].staging = Staging::sets; }), HasSubstr("set by set"));
  EXPECT_THAT(with(1, [](auto& c) { c[1].scheme = Scheme::planar, c[1].channels = 4; }), HasSubstr("in steps"));
  EXPECT_EQ(with(1, [](auto& c) { c[1].filters = 4; }), "");
  const auto cpu = shipped("cortex-m7-class");
  auto choices = plain(*n, *cpu);
  choices[1].prefetch = true;
  EXPECT_THAT(infeasible(*n, *cpu, choices), HasSubstr("read where they are"));
  choices[1].operands = Operands::tiled;
  EXPECT_THAT(infeasible(*n, *cpu, choices), HasSubstr("computes"));
}

/// Random plans with filters fetched wherever that is offered: valid, the interpreter's bytes, documents read back.
TEST(Prefetch, RandomPlansComputeTheSameBytes) {
  const auto registry = ChoiceRegistry::standard();
  const auto& offered = registry.find("prefetch")->domain;
  int plans = 0, fetched = 0;
  for (std::uint64_t seed = 0; seed < 220; ++seed) {
    test::Random random(seed);
    const auto n = seed % 3 == 0 ? test::random_branches(random, 3) : test::random_network(random);
    const auto device = test::random_device(random);
    auto choices = test::random_choices(random, *n, *device, seed % 2 == 0);
    const auto contexts = contexts_of(*n, *device, choices, true);
    for (const int op : layers_of(*n, true)) choices[op].prefetch = offered(contexts[op], choices[op]).size() > 1;
    const auto made = make_plan(*n, *device, choices);
    const auto* plan = std::get_if<Plan>(&made);
    if (plan == nullptr) continue;
    ++plans;
    for (const auto& c : plan->choices) fetched += c.prefetch;
    const auto program = lower(*n, *device, *plan);
    for (const auto& finding : check(program, *device)) ADD_FAILURE() << seed << ": " << finding.message;
    ASSERT_EQ(test::wrong_bytes(*n, program, constants_image(*n, *device, *plan), seed), "") << "seed " << seed;
    Diagnostics d;
    const auto read = read_plan_text(write_plan(*plan, *n, *device), "plan.yaml", *n, *device, d);
    ASSERT_TRUE(read) << d.text();
    EXPECT_EQ(read->id(), plan->id());
  }
  EXPECT_GE(plans, 150);
  EXPECT_GE(fetched, 100);
}

}  // namespace
}  // namespace dse::plan::prefetch_test
