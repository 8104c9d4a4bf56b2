// Candidates whose programs are wrong: left out and named, while all others, and the other networks, keep their
// results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "explore/explore.h"
#include "explore/study/study_reader.h"
#include "models/hw/device_reader.h"
#include "plan/network/layers.h"
#include "plan/plan.h"
#include "reports/run/console.h"
#include "reports/run/json.h"
#include "tests/plan/check/faults.h"
#include "tests/support/random_cases.h"

namespace dse::explore::quarantine_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;

using dse::test::Fault;
using dse::test::kFaultNames;
using dse::test::kFaultWhy;
using dse::test::spoil;

class Quarantine : public ::testing::TestWithParam<Fault> {
 protected:
  void SetUp() override {
    folder_ = (fs::temp_directory_path() / ("dse-quarantine-" + std::to_string(::getpid()))).string();
    fs::remove_all(folder_);
    spec_.front_points = 0;
    for (std::uint64_t seed = 12; cases_.size() < 2; ++seed) {
      test::Random draw(seed);
      Case c;
      c.network = test::random_network(draw), c.device = test::random_device(draw), c.device_label = "random";
      const auto layers = plan::layers_of(*c.network, true).size();
      if (layers >= 2 && layers <= 4 && c.device->memories.size() > 1 && c.device->engines.size() > 1)
        cases_.push_back(c);
    }
  }
  void TearDown() override { fs::remove_all(folder_); }

  Sweep run(const std::function<bool(const plan::Plan&)>& wrong = {}) {
    auto cases = cases_;
    if (wrong)
      cases[0].lowered = [wrong](const plan::Plan& plan, program::Program& program) {
        if (wrong(plan)) spoil(GetParam(), program);
      };
    ExploreOptions o;
    o.jobs = 2, o.out = out_.empty() ? "" : folder_ + "/" + out_;
    diags_ = {};
    return explore(spec_, cases, o, diags_);
  }
  static std::vector<std::string> ids(const std::vector<Point>& points) {
    std::vector<std::string> out;
    for (const auto& p : points) out.push_back(p.id);
    return out;
  }
  /// What a front says of plans that are wrong, wherever it says it.
  void expect_named(const Front& front, const std::set<std::string>& wrong) {
    EXPECT_FALSE(front.complete);
    std::set<std::string> named;
    for (const auto& l : front.left_out) {
      EXPECT_EQ(l.why, kFaultWhy[static_cast<int>(GetParam())]) << l.what << " " << l.reason;
      EXPECT_TRUE(l.is_defect());
      if (!l.plan.empty()) named.insert(l.plan);
      EXPECT_TRUE(!l.plan.empty() || !l.assignment.empty() || GetParam() == Fault::broken);
    }
    if (GetParam() != Fault::broken) {
      for (const auto& id : wrong) EXPECT_TRUE(named.count(id)) << id;
    }
    for (const auto* list : {&front.points, &front.marked})
      for (const auto& p : *list) {
        EXPECT_EQ(wrong.count(p.id), 0u);
        EXPECT_TRUE(p.verified);
      }
    EXPECT_THAT(front.notes, Contains(HasSubstr(" was left out: ")));
    EXPECT_THAT(reports::console_summary(front), Contains(HasSubstr(" was left out: ")));
    Sweep sweep;
    sweep.fronts = {front};
    EXPECT_EQ(reports::results_json(sweep)["fronts"][0]["left_out"].size(), front.left_out.size());
    EXPECT_TRUE(diags_.has_errors());
    EXPECT_THAT(diags_.text(), HasSubstr("a defect of dse"));
  }

  std::string folder_, out_;
  std::vector<Case> cases_;
  SweepSpec spec_;
  Diagnostics diags_;
};

TEST_P(Quarantine, ASearchedPlanIsLeftOutAndTheRestStays) {
  const auto whole = run();
  EXPECT_FALSE(diags_.has_errors()) << diags_.text();
  const auto& before = whole.fronts.at(0);
  ASSERT_TRUE(before.complete);
  const auto searched =
      std::find_if(before.points.begin(), before.points.end(), [](const Point& p) { return p.origin == "front"; });
  ASSERT_NE(searched, before.points.end());
  const auto id = searched->id;
  const auto after = run([id](const plan::Plan& plan) { return plan.id() == id; });
  expect_named(after.fronts.at(0), {id});
  // What else was on the front is still there, and may have company now.
  for (const auto& p : before.points) {
    if (p.id == id) continue;
    EXPECT_THAT(ids(after.fronts.at(0).points), Contains(p.id));
  }
  EXPECT_EQ(after.fronts.at(1).complete, whole.fronts.at(1).complete);
  EXPECT_EQ(ids(after.fronts.at(1).points), ids(whole.fronts.at(1).points));
  EXPECT_TRUE(after.fronts.at(1).left_out.empty());
}

TEST_P(Quarantine, APlanByRuleIsLeftOutAndTheRestStays) {
  const auto whole = run();
  ASSERT_FALSE(whole.fronts.at(0).marked.empty());
  for (const auto& given : whole.fronts[0].marked) {
    const auto id = given.id, origin = given.origin;
    SCOPED_TRACE(origin);
    const auto after = run([&](const plan::Plan& plan) { return plan.id() == id && plan.origin == origin; });
    const auto& front = after.fronts.at(0);
    EXPECT_FALSE(front.complete);
    ASSERT_EQ(front.left_out.size(), 1u);
    EXPECT_EQ(front.left_out[0].what, origin);
    EXPECT_EQ(front.left_out[0].plan, id);
    EXPECT_EQ(front.left_out[0].why, kFaultWhy[static_cast<int>(GetParam())]);
    EXPECT_THAT(front.notes, Contains(HasSubstr(origin + " " + id + " was left out: ")));
    EXPECT_EQ(front.marked.size(), whole.fronts[0].marked.size() - 1);
    EXPECT_EQ(ids(after.fronts.at(1).points), ids(whole.fronts.at(1).points));
  }
}

TEST_P(Quarantine, AllOfANetworkMayBeWrongAndTheOtherOneIsNot) {
  const auto whole = run();
  const auto after = run([](const plan::Plan&) { return true; });
  const auto& front = after.fronts.at(0);
  EXPECT_TRUE(front.points.empty());
  EXPECT_FALSE(front.infeasible_reason.empty());
  expect_named(front, {});
  EXPECT_GT(front.left_out.size(), 3u);
  EXPECT_LE(std::count_if(front.notes.begin(), front.notes.end(),
                          [](const std::string& n) { return n.find(" was left out: ") != std::string::npos; }),
            3);
  EXPECT_TRUE(after.fronts.at(1).complete);
  EXPECT_EQ(ids(after.fronts.at(1).points), ids(whole.fronts.at(1).points));
}

TEST_P(Quarantine, PlansByPhasesAreLeftOutAsOthersAre) {
  const auto phased = [](const plan::Plan& plan) {
    return std::any_of(plan.choices.begin(), plan.choices.end(),
                       [](const auto& c) { return c.phases != plan::Phases::no; });
  };
  Diagnostics d;
  Case c;
  c.device = hw::read_device(DSE_SOURCE_DIR "/configs/devices/cortex-m7-class.yaml", {}, d);
  ASSERT_NE(c.device, nullptr) << d.text();
  c.device_label = c.device->name;
  std::int64_t points = 0;
  for (std::uint64_t seed = 0; seed < 40 && points == 0; ++seed) {
    test::Random random(seed);
    c.network = test::random_network(random);
    cases_[0] = c;
    const auto before = run();
    for (const auto& p : before.fronts.at(0).points)
      points += std::any_of(p.assignment.begin(), p.assignment.end(), [](const auto& a) {
        return a.first.find(".phases") != std::string::npos && a.second != "no";
      });
  }
  ASSERT_GT(points, 0);
  const auto after = run(phased);
  expect_named(after.fronts.at(0), {});
  EXPECT_THAT(after.fronts[0].left_out, Each(::testing::Field(&LeftOut::what, "plan by phases")));
  EXPECT_FALSE(after.fronts[0].points.empty());
}

TEST_P(Quarantine, ExhaustiveSearchLeavesOutAsWellAndRemembersIt) {
  spec_.choices = {{"scheme", {"interleaved"}}, {"tile", {"all"}}, {"filters", {"all"}}, {"buffering", {"double"}}};
  spec_.search = "exhaustive";
  cases_.resize(1);
  const auto whole = run();
  std::string id;
  for (const auto& p : whole.fronts.at(0).points)
    if (p.origin == "front") id = p.id;
  ASSERT_FALSE(id.empty());
  out_ = "study";
  for (int time = 0; time < 2; ++time) {
    SCOPED_TRACE(time);
    const auto after = run([id](const plan::Plan& plan) { return plan.id() == id && plan.origin == "explored"; });
    expect_named(after.fronts.at(0),
                 GetParam() == Fault::overlap && time == 1 ? std::set<std::string>() : std::set<std::string>{id});
  }
}

std::string fault_name(const ::testing::TestParamInfo<Fault>& info) {
  return kFaultNames[static_cast<int>(info.param)];
}
INSTANTIATE_TEST_SUITE_P(Faults, Quarantine, ::testing::Values(Fault::overlap, Fault::bytes, Fault::broken),
                         fault_name);

}  // namespace
}  // namespace dse::explore::quarantine_test
