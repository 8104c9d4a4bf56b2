// Convolutions of every arithmetic by every technique that computes them, their sums in registers or in memory as
// output batches, planned at random and simulated with data.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "dse_technique.h"
#include "models/nn/graph/technique.h"
#include "plan/choices/choice.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/place/contexts.h"
#include "tests/nn/random_ops/one_operator.h"
#include "tests/support/random_cases.h"
#include "tests/verify/simulated.h"

namespace dse::verify::techniques_test {
namespace {

using nn::random_ops::Mode;

nn::NetworkPtr drawn(const std::string& kind, Mode mode, std::uint64_t seed) {
  Diagnostics d;
  return nn::finish_network(nn::random_ops::network_of(nn::random_ops::draw(kind, mode, seed)), d, kind);
}

/// A plan of random choices with this technique; nothing where none of the draws is feasible.
std::optional<plan::Plan> plan_by(int technique, const nn::Network& n, const hw::Device& device, test::Random& random) {
  for (int tries = 0; tries < 6; ++tries) {
    auto choices = test::random_choices(random, n, device, true);
    for (auto& c : choices) c.technique = technique, c.batches = test::pick(random, 1, 20);
    auto made = plan::make_plan(n, device, std::move(choices));
    if (auto* plan = std::get_if<plan::Plan>(&made)) return std::move(*plan);
  }
  return std::nullopt;
}

TEST(Techniques, PlansMakeTheBytesOfTheInterpreter) {
  std::map<int, int> plans;  // by technique
  int batched = 0;
  for (const auto mode : {Mode::tflite, Mode::onnx, Mode::qformat})
    for (const char* kind : {"CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV"})
      for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        const auto known = nn::random_ops::kinds_of(mode);
        if (std::find(known.begin(), known.end(), kind) == known.end()) continue;
        auto network = drawn(kind, mode, seed);
        if (!network || network->operators.size() != 1) continue;
        test::Random random(seed);
        if (std::string(kind) == "DEPTHWISE_CONV_2D") network = test::with_separable_filters(*network, random);
        auto device = std::make_shared<hw::Device>(*test::random_device(random));
        auto& engine = device->engines[static_cast<std::size_t>(device->compute_engine())];
        engine.macs_per_cycle["int16"] = {2, 1};
        for (const auto& name : nn::technique_names()) engine.techniques[name] = {3, 1};
        if (seed % 2 == 0) device = std::make_shared<hw::Device>(*test::with_batches(*device, random));
        for (const int t : nn::techniques_of(*network, network->operators[0])) {
          const auto plan = plan_by(t, *network, *device, random);
          if (!plan) continue;
          const auto program = plan::lower(*network, *device, *plan);
          ASSERT_TRUE(std::any_of(program.operators.begin(), program.operators.end(),
                                  [&](const dse_op& op) { return dse_technique_of(&op) == t; }))
              << kind << ", seed " << seed
              << ": chosen and not done: " << nn::technique_names()[static_cast<std::size_t>(t)];
          ASSERT_EQ(test::fault_of(*network, device, *plan), "")
              << kind << ", seed " << seed << ", " << nn::technique_names()[static_cast<std::size_t>(t)];
          ++plans[t];
          batched += seed % 2 == 0 && plan->choices[0].batches > 1;
        }
      }
  for (const auto& [t, n] : plans) fmt::print("{}: {} plans\n", nn::technique_names()[static_cast<std::size_t>(t)], n);
  fmt::print("{} in output batches\n", batched);
  EXPECT_GE(batched, 5000);
  EXPECT_EQ(plans.size(), static_cast<std::size_t>(DSE_TECHNIQUES));
  for (const auto& [t, n] : plans) EXPECT_GE(n, t == DSE_WINOGRAD ? 10 : 100) << t;  // few draws are 3x3 with stride 1
}

}  // namespace
}  // namespace dse::verify::techniques_test
