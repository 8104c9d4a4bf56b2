// A plan's bytes equal the interpreter's, whatever the choices and whatever the legal order of its tasks.
#include <gtest/gtest.h>

#include <map>

#include "plan/document/document.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/network/layers.h"
#include "plan/plan.h"
#include "plan/rules/rules.h"
#include "tests/plan/reference_executor.h"
#include "tests/support/random_cases.h"

namespace dse::lowering_test {
namespace {

std::string describe_choice(const plan::Plan& plan, const nn::Network& network, const hw::Device& device) {
  std::string out;
  for (const auto& line : plan::in_words(plan, network, device)) out += line + "\n";
  return out;
}

/// @returns an explanation of what is wrong, or "".
std::string run_all_orders(const nn::Network& network, const hw::Device& device, const plan::Plan& plan,
                           std::uint64_t seed) {
  const auto program = plan::lower(network, device, plan);
  const auto constants = plan::constants_image(network, device, plan);
  std::vector<std::vector<std::uint8_t>> inputs;
  for (std::size_t i = 0; i < network.inputs.size(); ++i)
    inputs.push_back(nn::seeded_input(network.tensors[network.inputs[i]], static_cast<int>(i), seed));
  const auto truth = nn::interpret(network, inputs);
  using test::Interleaving;
  const std::pair<Interleaving, std::uint64_t> orders[] = {{Interleaving::eager, 0},
                                                           {Interleaving::lazy, 0},
                                                           {Interleaving::random, 1},
                                                           {Interleaving::random, 2},
                                                           {Interleaving::random, seed}};
  for (const auto& [order, s] : orders) {
    const auto result = test::execute(program, constants, inputs, order, s);
    const std::string label = std::string(test::name_of(order)) + ": ";
    if (!result.ok()) return label + *result.failure;
    for (std::size_t o = 0; o < network.outputs.size(); ++o)
      if (result.outputs[o] != truth[network.outputs[o]]) return label + "wrong bytes in output " + std::to_string(o);
  }
  return "";
}

TEST(Lowering, RandomPlansComputeTheInterpretersBytesInEveryLegalOrder) {
  std::map<std::string, int> seen;
  int infeasible = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    const auto device = test::random_device(random);
    auto made = plan::make_plan(*network, *device, test::random_choices(random, *network, *device));
    if (std::holds_alternative<plan::Infeasible>(made)) {
      ++infeasible;
      continue;
    }
    const auto& plan = std::get<plan::Plan>(made);
    for (int op : plan::layers_of(*network, true)) ++seen[plan::name_of(plan.choices[op].scheme)];
    const auto wrong = run_all_orders(*network, *device, plan, seed);
    ASSERT_EQ(wrong, "") << "seed " << seed << "\n" << describe_choice(plan, *network, *device);
  }
  std::printf("infeasible %d of 400", infeasible);
  for (const auto& [scheme, n] : seen) std::printf(", %s %d layers", scheme.c_str(), n);
  std::printf("\n");
  EXPECT_LT(infeasible, 120);
  EXPECT_GT(seen["planar"], 50);
  EXPECT_GT(seen["pixel-block"], 20);
}

TEST(Lowering, RuleBasedAndTflmPlansComputeTheInterpretersBytes) {
  int made = 0;
  for (std::uint64_t seed = 1000; seed < 1100; ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    const auto device = test::random_device(random, seed % 2);
    for (auto&& result : {plan::rule_based_plan(*network, *device, false),
                          plan::rule_based_plan(*network, *device, true), plan::tflm_plan(*network, *device)}) {
      const auto* plan = std::get_if<plan::Plan>(&result);
      if (!plan) continue;
      ++made;
      ASSERT_EQ(run_all_orders(*network, *device, *plan, seed), "") << plan->origin << " seed " << seed << "\n"
                                                                    << describe_choice(*plan, *network, *device);
    }
  }
  EXPECT_GT(made, 120);
}

}  // namespace
}  // namespace dse::lowering_test
