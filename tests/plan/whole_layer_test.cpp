// Networks of every operator and arithmetic: the bytes of a plan equal the interpreter's, on the platform, in the
// runtime of the package, and in every legal order of its tasks.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "deploy/host/runner.h"
#include "models/nn/rewrite/rewrites.h"
#include "plan/check/check.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/plan.h"
#include "plan/rules/rules.h"
#include "program/encoding.h"
#include "sim/platform.h"
#include "tests/nn/factors/drawn_chain.h"
#include "tests/plan/reference_executor.h"
#include "tests/support/random_wide.h"

namespace dse::whole_layer_test {
namespace {

using test::Arithmetic;

class WholeLayers : public testing::TestWithParam<Arithmetic> {};

struct Case {
  nn::NetworkPtr network;
  hw::DevicePtr device;
  std::vector<std::vector<std::uint8_t>> inputs, outputs;
};

void expect_bytes(const Case& r, const plan::Plan& plan, std::uint64_t seed) {
  const auto program = plan::lower(*r.network, *r.device, plan);
  const auto constants = plan::constants_image(*r.network, *r.device, plan);
  const auto findings = plan::check(program, *r.device);
  EXPECT_TRUE(findings.empty()) << plan::to_string(findings);
  for (const auto order : {test::Interleaving::eager, test::Interleaving::lazy, test::Interleaving::random}) {
    const auto result = test::execute(program, constants, r.inputs, order, seed);
    ASSERT_TRUE(result.ok()) << test::name_of(order) << ": " << *result.failure;
    EXPECT_EQ(result.outputs, r.outputs) << test::name_of(order);
  }
  deploy::PackageFiles files;
  files.plan = encode(program);
  files.constants = constants;
  files.inputs = r.inputs, files.outputs = r.outputs;
  Diagnostics diags;
  EXPECT_TRUE(deploy::verify_package(files, 3, seed, "plan", diags)) << diags.text();
}

/// @param draw a network of random numbers and a seed; null: none. @param least of plans, and of kinds of operators.
void compute_everywhere(const std::function<nn::NetworkPtr(test::Random&, std::uint64_t)>& draw, int least,
                        std::size_t least_kinds) {
  int made = 0;
  std::map<std::string, int> kinds;
  for (std::uint64_t seed = 0; seed < 150 && !testing::Test::HasFailure(); ++seed) {
    test::Random random(seed);
    Case r;
    r.network = draw(random, seed);
    if (!r.network) continue;
    const auto plain = r.network;
    if (seed % 2) r.network = nn::rewritten(plain);  // as imported, against the network as it is in the file
    auto device = std::make_shared<hw::Device>(*test::random_device(random));
    for (auto& e : device->engines)
      if (!e.macs_per_cycle.empty()) {
        e.macs_per_cycle["int16"] = {1, 2};
        if (seed % 3 == 0) e.rescaled_per_cycle = {1, 2}, e.rescales_apart = seed % 2 == 0;
      }
    r.device = device;
    for (std::size_t i = 0; i < r.network->inputs.size(); ++i)
      r.inputs.push_back(nn::seeded_input(r.network->tensors[r.network->inputs[i]], static_cast<int>(i), seed));
    const auto truth = nn::interpret(*plain, r.inputs);
    for (const int t : r.network->outputs) r.outputs.push_back(truth[t]);
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::vector<std::variant<plan::Plan, plan::Infeasible>> plans;
    plans.push_back(plan::make_plan(*r.network, *device, test::random_choices(random, *r.network, *device)));
    if (seed % 5 == 0) {
      plans.push_back(plan::rule_based_plan(*r.network, *device, false));
      plans.push_back(plan::tflm_plan(*r.network, *device));
    }
    for (const auto& p : plans) {
      const auto* plan = std::get_if<plan::Plan>(&p);
      if (!plan) continue;
      ++made;
      for (const auto& op : r.network->operators) ++kinds[nn::key_of(op.kind)];
      expect_bytes(r, *plan, seed);
    }
  }
  EXPECT_GT(made, least);
  std::string list;
  for (const auto& [kind, n] : kinds) list += " " + kind + " " + std::to_string(n);
  std::printf("%d plans:%s\n", made, list.c_str());
  EXPECT_GE(kinds.size(), least_kinds) << list;
}

TEST_P(WholeLayers, ComputeTheInterpretersBytesEverywhere) {
  const auto draw = [](test::Random& random, std::uint64_t) { return test::random_wide_network(random, GetParam()); };
  compute_everywhere(draw, 80, 9);
}

/// With factors beside mantissas, and sums in memory or in registers.
TEST(DynamicRescaling, ComputesTheInterpretersBytesEverywhere) {
  const auto draw = [](test::Random&, std::uint64_t seed) {
    return nn::test::drawn_chain_with_factors(static_cast<unsigned>(seed));
  };
  compute_everywhere(draw, 120, 6);
}

INSTANTIATE_TEST_SUITE_P(Arithmetics, WholeLayers,
                         testing::Values(Arithmetic::int8, Arithmetic::int16, Arithmetic::q8, Arithmetic::q16,
                                         Arithmetic::mixed),
                         [](const auto& info) { return std::string(test::name_of(info.param)); });

}  // namespace
}  // namespace dse::whole_layer_test
