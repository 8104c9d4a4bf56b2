// The marked plan of the branch-order source: beside every front of a network that branches, and of no other.
#include <gmock/gmock.h>

#include <algorithm>

#include "explore/explore.h"
#include "methods/branch/branch_plan.h"
#include "models/hw/device_reader.h"
#include "tests/plan/segment/branched_networks.h"

namespace dse::explore::branch_rule_test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

Front searched(const nn::NetworkPtr& network, const yaml::Overrides& overrides = {},
               const std::map<std::string, std::vector<std::string>>& choices = {}) {
  SweepSpec spec;
  spec.choices = choices;
  spec.by_phases = false, spec.front_points = 0;
  Diagnostics diags;
  Case c{network, hw::read_device(DSE_SOURCE_DIR "/configs/devices/cortex-m7-class.yaml", overrides, diags),
         "cortex-m7-class"};
  auto sweep = explore(spec, {c}, {}, diags);
  EXPECT_FALSE(diags.has_errors()) << diags.text();
  return std::move(sweep.fronts.at(0));
}

const Point* marked(const Front& front) {
  const auto it = std::find_if(front.marked.begin(), front.marked.end(),
                               [](const Point& p) { return p.origin == plan::branch::kBranchOrder; });
  return it == front.marked.end() ? nullptr : &*it;
}

TEST(BranchRule, IsSimulatedWithBytesAndNeverBeatsTheFront) {
  const auto front = searched(test::six_operators());
  const auto* p = marked(front);
  ASSERT_NE(p, nullptr) << testing::PrintToString(front.notes);
  EXPECT_TRUE(p->verified);
  EXPECT_GT(p->latency_ticks, 0);
  EXPECT_EQ(p->memory_bytes, 16 * 16 * (64 + 8 + 8 + 4));
  EXPECT_TRUE(std::any_of(front.points.begin(), front.points.end(), [&](const Point& f) {
    return f.memory_bytes <= p->memory_bytes && f.latency_ticks <= p->latency_ticks;
  }));
}

TEST(BranchRule, KeepsToTheOrdersThatTheSweepAllows) {
  const auto front = searched(test::six_operators(), {}, {{"network.order", {"file"}}});
  const auto* p = marked(front);
  ASSERT_NE(p, nullptr) << testing::PrintToString(front.notes);
  EXPECT_EQ(p->assignment.at("network.order"), "file");
  EXPECT_GT(p->memory_bytes, 16 * 16 * (64 + 64));
}

TEST(BranchRule, SaysNothingWhereNothingBranches) {
  test::BranchedNetwork n("chain");
  const auto front = searched(n.build({n.conv(n.conv(n.input(8, 8, 4), 16), 8)}));
  EXPECT_EQ(marked(front), nullptr);
  EXPECT_THAT(front.notes, Not(Contains(HasSubstr("branch order"))));
}

TEST(BranchRule, WhichDoesNotFitIsANote) {
  const auto front = searched(test::six_operators(), {{"memories.sram.size", "19.5 KiB", {}}});
  EXPECT_FALSE(front.points.empty());
  EXPECT_EQ(marked(front), nullptr);
  EXPECT_THAT(front.notes,
              Contains(HasSubstr("rule-based (branch order): sram is 1.5 KiB short: operational buffers")));
}

}  // namespace
}  // namespace dse::explore::branch_rule_test
