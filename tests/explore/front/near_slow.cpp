// Around the fronts of the shipped networks: plans that differ from a point in a few choices are none better. An
// environment variable DSE_NEAR says how many are tried per front. Those beyond the edge of the space are counted
// apart.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "explore/engine/exhaustive.h"
#include "explore/explore.h"
#include "explore/question/resolve.h"
#include "explore/space/space.h"
#include "plan/choices/assignment.h"
#include "tests/explore/front/brute_force.h"
#include "tests/support/random_cases.h"

namespace dse::explore::test_support::near_slow {
namespace {

using plan::Assignment;

/// Choices of single layers that the certificate of a sweep without `choices:` speaks of.
std::vector<plan::ChoiceInstance> varied(const Case& c) {
  auto all = plan::list_choices(*c.network, *c.device);
  std::erase_if(all, [](const auto& choice) {
    const auto name = choice.name.substr(choice.name.rfind('.') + 1);
    return choice.name.rfind("network.", 0) == 0 || name == "phases" || name == "halo" || name == "strips" ||
           name == "prefetch";
  });
  return all;
}

struct Tally {
  int tried = 0, measured = 0, better = 0;
  int beyond = 0, better_beyond = 0;  // the edge of the space: very many calls for a layer
};

/// Some layer takes more calls than the space has.
bool beyond_edge(const Case& c, const plan::Decisions& decided) {
  const auto& n = *c.network;
  const Space space(n, *c.device, SweepSpec());
  for (const int op : space.layers) {
    plan::LayerContext context;
    context.network = &n, context.device = c.device.get(), context.op = op;
    const auto inputs = plan::activations(n, n.operators[op]);
    context.input_count = static_cast<int>(inputs.size());
    context.inputs.assign(std::max<std::size_t>(2, inputs.size()), plan::Placement{});
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (const int maker = n.producer(space.root[inputs[i]]); maker >= 0)
        context.inputs[i] = {decided.layers[maker].output_memory, decided.layers[maker].output_layout};
      else
        context.inputs[i] = {c.device->io, plan::TensorLayout::hwc};
    const auto g = plan::layer_geometry(context, decided.layers[op]);
    if (g.feasible && std::int64_t{g.tiles} * g.sets * g.steps > kMaxCalls) return true;
  }
  return false;
}

/// A plan that some point of the front needs no more of anything than.
bool covered(const Front& front, const Measured& m) {
  return std::any_of(front.points.begin(), front.points.end(),
                     [&](const Point& p) { return p.memory_bytes <= m.memory && p.latency_ticks <= m.costs[kTicks]; });
}

void check_near(const Case& c, const Front& front, int count, Tally& tally) {
  std::vector<Assignment> around;
  for (const auto& p : front.points)
    if (p.outside.empty()) around.push_back(p.assignment);
  for (auto& a : around) std::erase_if(a, [](const auto& choice) { return choice.first.rfind("device.", 0) == 0; });
  ASSERT_FALSE(around.empty());
  const auto choices = varied(c);
  const auto& registry = plan::ChoiceRegistry::standard();
  test::Random random(7);
  while (tally.tried < 20 * count && tally.measured < count) {
    ++tally.tried;
    auto a = around[static_cast<std::size_t>(test::pick(random, 0, static_cast<int>(around.size()) - 1))];
    for (int i = test::pick(random, 1, 3); i > 0; --i) {
      const auto& choice =
          choices[static_cast<std::size_t>(test::pick(random, 0, static_cast<int>(choices.size()) - 1))];
      a[choice.name] =
          choice.values[static_cast<std::size_t>(test::pick(random, 0, static_cast<int>(choice.values.size()) - 1))];
    }
    Diagnostics diags;
    const auto decided = plan::decisions_from(*c.network, *c.device, a, registry, "", diags);
    if (!decided) continue;  // choices that do not go together
    const auto m = evaluate(c, *decided);
    ASSERT_FALSE(m.invalid) << m.reason;
    if (!m.feasible()) continue;
    ++tally.measured;
    const bool is_covered = covered(front, m), is_beyond = beyond_edge(c, *decided);
    tally.beyond += is_beyond, tally.better_beyond += is_beyond && !is_covered;
    if (is_covered) continue;
    if (is_beyond) {
      fmt::print("beyond the edge of the space: {} bytes, {} ticks\n", m.memory, m.costs[kTicks]);
      continue;
    }
    ++tally.better;
    ADD_FAILURE() << m.memory << " bytes, " << m.costs[kTicks] << " ticks: " << plan::assignment_text(a);
  }
}

TEST(NearSlow, NoPlanAroundAFrontIsBetter) {
  const char* asked = std::getenv("DSE_NEAR");
  const int count = asked ? std::atoi(asked) : 2000;
  for (const std::string network : {"resnet8", "ds-cnn", "mobilenet-v1-0.25-96"})
    for (const std::string device : {"gap8-class", "cortex-m7-class", "dsp-l1-l2-l3"}) {
      SCOPED_TRACE(network + " on " + device);
      SweepSpec spec;
      spec.networks = {DSE_SOURCE_DIR "/configs/networks/" + network + ".yaml"};
      spec.devices = {{DSE_SOURCE_DIR "/configs/devices/" + device + ".yaml", {}, {}}};
      spec.front_points = 0;
      Diagnostics diags;
      const auto cases = resolve(spec, diags);
      ASSERT_EQ(cases.size(), 1u) << diags.text();
      const auto found = explored(cases[0], spec);
      ASSERT_TRUE(found.complete);
      Tally tally;
      check_near(cases[0], found.whole, count, tally);
      fmt::print("{} on {}: {} points, {} plans around them of {} drawn, {} better; {} beyond the edge, {} better\n",
                 network, device, found.whole.points.size(), tally.measured, tally.tried, tally.better, tally.beyond,
                 tally.better_beyond);
      EXPECT_GE(tally.measured, count / 2);
    }
}

}  // namespace
}  // namespace dse::explore::test_support::near_slow
