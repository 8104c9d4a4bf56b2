// The order of layers as a choice of the search: six operators whose file lists them in a bad order.
#include "explore/space/orders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "explore/explore.h"
#include "explore/question/resolve.h"
#include "methods/order/order.h"
#include "models/hw/device_reader.h"
#include "plan/choices/assignment.h"
#include "plan/network/run_order.h"
#include "tests/plan/segment/branched_networks.h"

namespace dse::explore::orders_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Front searched(const std::map<std::string, std::vector<std::string>>& choices, bool* invalid = nullptr) {
  SweepSpec spec;
  spec.by_phases = false, spec.choices = choices, spec.front_points = 0;
  Diagnostics diags;
  Case c{test::six_operators(), hw::read_device("cortex-m7-class", {}, diags), "cortex-m7-class"};
  auto sweep = explore(spec, {c}, {}, diags);
  if (invalid) *invalid = diags.has_errors();
  return std::move(sweep.fronts.at(0));
}

std::string order_of(const Point& p) {
  const auto it = p.assignment.find("network.order");
  return it == p.assignment.end() ? "" : it->second;
}

TEST(Orders, TheSmallestPlanOfSixOperatorsRunsOneBranchAfterTheOther) {
  const auto n = test::six_operators();
  const auto front = searched({});
  ASSERT_FALSE(front.points.empty());
  EXPECT_TRUE(front.complete);
  EXPECT_EQ(front.points.front().memory_bytes, 19456);
  EXPECT_TRUE(front.points.front().verified);
  const auto named = [&](const std::vector<int>& order) { return plan::order_text(*n, order); };
  EXPECT_THAT(order_of(front.points.front()), testing::AnyOf(named({0, 1, 3, 2, 4, 5}), named({0, 2, 4, 1, 3, 5})));
  const auto in_file = std::find_if(front.points.begin(), front.points.end(),
                                    [](const Point& p) { return p.origin == "as in the file"; });
  EXPECT_EQ(in_file, front.points.end()) << "a point of the front, which others beat";
}

TEST(Orders, OnlyTheOrdersThatASweepAllowsAreTaken) {
  const auto file = searched({{"network.order", {"file"}}});
  ASSERT_FALSE(file.points.empty());
  EXPECT_TRUE(file.complete);
  EXPECT_EQ(file.points.front().memory_bytes, 34816);
  for (const auto& p : file.points) EXPECT_EQ(order_of(p), "file");
  const auto n = test::six_operators();
  const auto listed = plan::order_text(*n, {0, 1, 3, 2, 4, 5});
  const auto both = searched({{"network.order", {"file", listed}}});
  EXPECT_EQ(both.points.front().memory_bytes, 19456);
  EXPECT_EQ(order_of(both.points.front()), listed);
}

class BranchedOrders : public testing::TestWithParam<const char*> {};

/// On a CPU that reads tensors where they lie, layers need nothing beside them: the smallest plan is as small as the
/// least that any order needs, which a search of its own proves.
TEST_P(BranchedOrders, TheSmallestPlanNeedsWhatTheBestOrderNeeds) {
  SweepSpec spec;
  spec.by_phases = false, spec.front_points = 4;
  spec.networks = {std::string(DSE_SOURCE_DIR "/tests/support/branched/") + GetParam() + ".yaml"};
  spec.devices = {{DSE_SOURCE_DIR "/configs/devices/cortex-m7-class.yaml", {}, {}}};
  Diagnostics diags;
  const auto cases = resolve(spec, diags);
  ASSERT_EQ(cases.size(), 1u) << diags.text();
  const auto best = plan::find_order(plan::order_problem(*cases[0].network), plan::OrderRule::out_of_place);
  ASSERT_TRUE(best.optimal);
  spec.choices["in_place"] = {"no"};  // as the order is planned
  const auto sweep = explore(spec, cases, {}, diags);
  ASSERT_FALSE(sweep.fronts.at(0).points.empty()) << diags.text();
  const auto& smallest = sweep.fronts[0].points.front();
  EXPECT_EQ(smallest.memory_bytes, best.peak_bytes);
  EXPECT_TRUE(smallest.verified);
}

INSTANTIATE_TEST_SUITE_P(Networks, BranchedOrders,
                         testing::Values("inception", "dense", "residual", "nas_cell", "random_wiring"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Orders, OfASweepAreReadForEachNetwork) {
  const auto n = test::six_operators();
  const auto of = [&](std::vector<std::string> texts) { return Orders::of(*n, {{"network.order", std::move(texts)}}); };
  EXPECT_TRUE(Orders::of(*n, {}).any);
  EXPECT_TRUE(of({"file", "searched"}).any);
  EXPECT_THAT(of({"file"}).listed, ElementsAre(ElementsAre(0, 1, 2, 3, 4, 5)));
  EXPECT_THAT(of({"file", "file"}).listed, testing::SizeIs(1));
  EXPECT_THAT(of({"nobody"}).problem, HasSubstr("no layer 'nobody'"));
  EXPECT_THAT(of({plan::order_text(*n, {0, 3, 1, 2, 4, 5})}).problem, HasSubstr("which it needs"));
  EXPECT_EQ(of({"nobody", "file"}).problem, "");
  EXPECT_THAT(Orders::check(*n, "searchd"), HasSubstr("no layer 'searchd'"));
  for (const char* word : {"searched", "file"}) EXPECT_EQ(Orders::check(*n, word), "");
}

}  // namespace
}  // namespace dse::explore::orders_test
