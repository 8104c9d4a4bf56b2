// Networks that remember: what a run leaves in the state is there in the next one, in the package as in the
// interpreter.
#include <gtest/gtest.h>

#include "deploy/host/runner.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/plan.h"
#include "plan/rules/rules.h"
#include "program/encoding.h"
#include "tests/support/random_cases.h"

namespace dse::state_test {
namespace {

nn::Tensor tensor(const std::string& name, std::vector<std::int64_t> shape, nn::TensorKind kind, float scale,
                  std::int64_t zero) {
  nn::Tensor t;
  t.name = name, t.shape = std::move(shape), t.kind = kind;
  t.quantization.scale = {scale}, t.quantization.zero_point = {zero};
  return t;
}

/// A leaky integrator: state' = saturate(state + input), result = state' through a fully connected layer.
nn::NetworkPtr integrator(bool initial_value) {
  using nn::TensorKind;
  nn::Network n;
  n.name = "integrator";
  n.tensors = {tensor("in", {1, 8}, TensorKind::input, 0.1f, 3),
               tensor("state", {1, 8}, TensorKind::variable, 0.1f, -5),
               tensor("before", {1, 8}, TensorKind::activation, 0.1f, -5),
               tensor("sum", {1, 8}, TensorKind::activation, 0.1f, -5),
               tensor("weights", {4, 8}, TensorKind::constant, 0.02f, 0),
               tensor("out", {1, 4}, TensorKind::activation, 0.3f, 1)};
  if (initial_value) n.tensors[1].data = {1, 2, 3, 4, 5, 6, 7, 8};
  for (int i = 0; i < 32; ++i) n.tensors[4].data.push_back(static_cast<std::uint8_t>(i * 37));
  n.inputs = {0}, n.outputs = {5};
  const auto op = [&](nn::OperatorKind kind, std::vector<int> inputs, int output) {
    nn::Operator o;
    o.kind = kind, o.inputs = std::move(inputs), o.outputs = {output};
    n.operators.push_back(std::move(o));
  };
  op(nn::OperatorKind::read_variable, {1}, 2);
  op(nn::OperatorKind::add, {0, 2}, 3);
  op(nn::OperatorKind::assign_variable, {3}, 1);
  op(nn::OperatorKind::fully_connected, {3, 4, -1}, 5);
  Diagnostics diags;
  auto done = nn::finish_network(std::move(n), diags, "integrator");
  EXPECT_TRUE(done) << diags.text();
  return done;
}

TEST(StatefulPlans, KeepTheirStateBetweenRuns) {
  int made = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    test::Random random(seed);
    const auto network = integrator(seed % 2);
    const auto device = test::random_device(random);
    std::vector<deploy::ByteVectors> inputs, expected;
    auto state = nn::initial_state(*network);
    for (std::uint64_t step = 0; step < 4; ++step) {
      inputs.push_back({nn::seeded_input(network->tensors[0], 0, seed, step)});
      expected.push_back({nn::interpret(*network, inputs.back(), state)[5]});
    }
    EXPECT_NE(expected[0], expected[1]);
    for (auto&& result : {plan::make_plan(*network, *device, test::random_choices(random, *network, *device)),
                          plan::rule_based_plan(*network, *device, false), plan::tflm_plan(*network, *device)}) {
      const auto* plan = std::get_if<plan::Plan>(&result);
      if (!plan) continue;
      ++made;
      const auto bytes = encode(plan::lower(*network, *device, *plan));
      const auto constants = plan::constants_image(*network, *device, *plan);
      for (const auto port : {deploy::PortKind::eager, deploy::PortKind::lazy, deploy::PortKind::random}) {
        Diagnostics diags;
        const auto outputs = deploy::run_package_steps(bytes, constants, inputs, port, seed, diags);
        ASSERT_TRUE(outputs) << "seed " << seed << " " << plan->origin << "\n" << diags.text();
        EXPECT_EQ(*outputs, expected) << "seed " << seed << " " << plan->origin << " " << deploy::name_of(port);
      }
    }
  }
  EXPECT_GT(made, 60);
}

}  // namespace
}  // namespace dse::state_test
