// The plan by rule of the branch-order source: it needs what its memory model says, and computes the interpreter's
// bytes.
#include "methods/branch/branch_plan.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/units.h"
#include "methods/branch/search.h"
#include "methods/order/order.h"
#include "models/hw/device_reader.h"
#include "plan/document/document.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/network/layers.h"
#include "plan/network/run_order.h"
#include "tests/plan/reference_executor.h"
#include "tests/plan/segment/branched_networks.h"
#include "tests/support/random_wide.h"

namespace dse::plan::branch_plan_test {
namespace {

using branch::branch_order_plan;
using branch::has_branches;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

hw::DevicePtr shipped(const std::string& name, const yaml::Overrides& overrides = {}) {
  Diagnostics diags;
  auto device = hw::read_device(DSE_SOURCE_DIR "/configs/devices/" + name + ".yaml", overrides, diags);
  EXPECT_TRUE(device) << diags.text();
  return device;
}

/// Lowers the plan, runs it with tasks in several interleavings, and reads its document back.
void expect_sound(const nn::Network& n, const hw::Device& d, const Plan& plan, std::uint64_t seed) {
  EXPECT_EQ(plan.origin, branch::kBranchOrder);
  EXPECT_EQ(why_not_in(n, true, plan.order), "");
  const auto program = lower(n, d, plan);
  std::vector<std::vector<std::uint8_t>> inputs;
  for (const int t : n.inputs) inputs.push_back(nn::seeded_input(n.tensors[static_cast<std::size_t>(t)], 0, seed));
  const auto truth = nn::interpret(n, inputs);
  for (const auto interleaving : {test::Interleaving::eager, test::Interleaving::lazy}) {
    const auto result = test::execute(program, constants_image(n, d, plan), inputs, interleaving, seed);
    ASSERT_TRUE(result.ok()) << "seed " << seed << ": " << *result.failure;
    for (std::size_t o = 0; o < n.outputs.size(); ++o)
      ASSERT_EQ(result.outputs[o], truth[static_cast<std::size_t>(n.outputs[o])]) << "seed " << seed;
  }
  Diagnostics diags;
  const auto read = read_plan_text(write_plan(plan, n, d), "plan", n, d, diags);
  ASSERT_TRUE(read) << "seed " << seed << ": " << diags.text();
  EXPECT_EQ(read->id(), plan.id());
  EXPECT_EQ(read->heights, plan.heights);
}

/// What the rule's own model says of the bytes of all its buffers.
std::int64_t modelled(const nn::Network& n, int alignment) {
  auto problem = order_problem(n);
  for (auto& t : problem.tensors) t.bytes = round_up(t.bytes, alignment);
  return branch::best_order(branch::graph_of(problem), {}).best.total;
}

class BranchPlan : public testing::TestWithParam<const char*> {};

TEST_P(BranchPlan, OnACpuNeedsWhatTheModelSays) {
  Diagnostics diags;
  const auto n = nn::load_network(std::string(DSE_SOURCE_DIR "/tests/support/branched/") + GetParam() + ".yaml", diags);
  ASSERT_TRUE(n) << diags.text();
  const auto d = shipped("cortex-m7-class");
  EXPECT_TRUE(has_branches(*n));
  const auto made = branch_order_plan(*n, *d);
  ASSERT_TRUE(std::holds_alternative<Plan>(made)) << std::get<Infeasible>(made).what;
  const auto& plan = std::get<Plan>(made);
  const auto io = static_cast<std::size_t>(d->io);
  EXPECT_EQ(plan.heights[io], modelled(*n, d->memories[io].alignment));
  EXPECT_GE(plan.heights[io], find_order(order_problem(*n), OrderRule::out_of_place).peak_bytes);
  expect_sound(*n, *d, plan, 1);
}

INSTANTIATE_TEST_SUITE_P(Networks, BranchPlan,
                         testing::Values("inception", "dense", "residual", "nas_cell", "random_wiring"),
                         [](const auto& info) { return std::string(info.param); });

/// Branches that the file lists one beside the other run one after the other.
TEST(BranchPlans, RunInTheOrderThatNeedsTheFewestBytes) {
  const auto n = test::six_operators();
  const auto d = shipped("cortex-m7-class");
  const auto made = branch_order_plan(*n, *d);
  ASSERT_TRUE(std::holds_alternative<Plan>(made));
  const auto& plan = std::get<Plan>(made);
  EXPECT_THAT(plan.order,
              testing::AnyOf(testing::ElementsAre(0, 1, 3, 2, 4, 5), testing::ElementsAre(0, 2, 4, 1, 3, 5)));
  // Two operational buffers, of 64 and 8 channels; a1 and the end of the first branch wait in 8 and 4.
  EXPECT_EQ(plan.heights[static_cast<std::size_t>(d->io)], 16 * 16 * (64 + 8 + 8 + 4));
  // In the file's order both wide tensors wait for their turn, each in a scratch buffer or an operational one.
  const auto filed = branch_order_plan(*n, *d, shared::Input::released, {{0, 1, 2, 3, 4, 5}});
  ASSERT_TRUE(std::holds_alternative<Plan>(filed));
  EXPECT_THAT(std::get<Plan>(filed).order, IsEmpty());
  EXPECT_GT(std::get<Plan>(filed).heights[static_cast<std::size_t>(d->io)], 16 * 16 * (64 + 64));
  expect_sound(*n, *d, std::get<Plan>(filed), 5);
  const auto either = branch_order_plan(*n, *d, shared::Input::released, {{0, 1, 2, 3, 4, 5}, plan.order});
  ASSERT_TRUE(std::holds_alternative<Plan>(either));
  EXPECT_EQ(std::get<Plan>(either).id(), plan.id());
}

TEST(BranchPlans, WithoutBranchesAreTheFilesOrderInTwoBuffers) {
  test::BranchedNetwork build("chain");
  const int a = build.conv(build.input(8, 8, 4), 16);
  const auto n = build.build({build.conv(build.conv(a, 12), 8)});
  EXPECT_FALSE(has_branches(*n));
  const auto d = shipped("cortex-m7-class");
  const auto made = branch_order_plan(*n, *d);
  ASSERT_TRUE(std::holds_alternative<Plan>(made));
  const auto& plan = std::get<Plan>(made);
  EXPECT_THAT(plan.order, IsEmpty());
  EXPECT_EQ(plan.heights[static_cast<std::size_t>(d->io)], 8 * 8 * (16 + 12));
  expect_sound(*n, *d, plan, 3);
}

TEST(BranchPlans, ThatDoNotFitSayWhatTheBuffersTake) {
  const auto n = test::inception_network();
  const auto made = branch_order_plan(*n, *shipped("cortex-m7-class", {{"memories.sram.size", "1 KiB", {}}}));
  ASSERT_TRUE(std::holds_alternative<Infeasible>(made));
  const auto& why = std::get<Infeasible>(made);
  EXPECT_THAT(why.what,
              AllOf(HasSubstr("sram is "), HasSubstr("operational buffers of "), HasSubstr("of 1.0 KiB free")));
  EXPECT_GT(why.shortfall, 0);
}

/// Every kind of operator and device: fed engines run layers in the tiles of the other rule, several outputs share a
/// buffer, inputs may have to stay.
TEST(BranchPlans, ComputeTheSameBytesOnRandomNetworks) {
  int plans = 0, reordered = 0, fed = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    test::Random random(seed);
    const auto n = seed % 3 == 0   ? test::random_branches(random, 3)
                   : seed % 3 == 1 ? test::random_wide_network(random, test::Arithmetic::int8)
                                   : test::random_network(random);
    if (!n) continue;
    const auto d = test::random_device(random);
    const auto input = random() % 2 ? shared::Input::kept : shared::Input::released;
    const auto made = branch_order_plan(*n, *d, input);
    const auto* plan = std::get_if<Plan>(&made);
    if (plan == nullptr) continue;
    ++plans, reordered += !plan->order.empty();
    fed += !d->engines[static_cast<std::size_t>(d->compute_engine())].reaches(d->io);
    EXPECT_EQ(plan->input, input);
    expect_sound(*n, *d, *plan, seed);
  }
  EXPECT_GT(plans, 80);
  EXPECT_GT(reordered, 10);
  EXPECT_GT(fed, 20);
}

}  // namespace
}  // namespace dse::plan::branch_plan_test
