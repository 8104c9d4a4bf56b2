// The whole search: the same front for any number of workers, resumed or not, and never worse than plans by rule.
#include "explore/explore.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "plan/network/layers.h"
#include "reports/run/csv.h"
#include "tests/support/random_cases.h"
#include "tests/support/slow.h"

namespace dse::explore::explore_test {
namespace {

namespace fs = std::filesystem;

std::vector<Case> tiny_cases(std::uint64_t from, int count, std::size_t most_layers) {
  std::vector<Case> cases;
  for (std::uint64_t seed = from; static_cast<int>(cases.size()) < count; ++seed) {
    test::Random random(seed);
    Case c;
    c.network = test::random_network(random);
    c.device = test::random_device(random, seed % 3 == 0);
    c.device_label = "random-" + std::to_string(seed);
    if (plan::layers_of(*c.network, true).size() <= most_layers) cases.push_back(c);
  }
  return cases;
}

std::map<std::string, std::string> plans_in(const std::string& folder) {
  std::map<std::string, std::string> out;
  if (!fs::exists(folder + "/plans")) return out;
  for (const auto& e : fs::directory_iterator(folder + "/plans")) {
    std::ifstream in(e.path(), std::ios::binary);
    out[e.path().filename().string()] = {std::istreambuf_iterator<char>(in), {}};
  }
  return out;
}

class Explore : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = (fs::temp_directory_path() / ("dse-explore-" + std::to_string(::getpid()))).string();
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string out(const char* name) const { return folder_ + "/" + name; }

  struct Result {
    Sweep sweep;
    std::string csv;
    std::map<std::string, std::string> plans;
    std::int64_t simulated = 0;  // schedules and plans
  };
  Result run(const SweepSpec& spec, const std::vector<Case>& cases, int jobs, const std::string& out,
             std::atomic<bool>* stop = nullptr) {
    Result r;
    ExploreOptions options;
    options.jobs = jobs;
    options.out = out;
    options.interrupted = stop;
    options.progress = [&](const Progress& p) {
      r.simulated = p.simulated;
      if (stop) *stop = true;
    };
    Diagnostics diags;
    r.sweep = explore(spec, cases, options, diags);
    EXPECT_FALSE(diags.has_errors()) << diags.text();
    r.csv = reports::front_csv(r.sweep);
    r.plans = plans_in(out);
    return r;
  }
  std::string folder_;
};

TEST_F(Explore, TinyCasesGiveTheSameBytesForOneWorkerAndTwo) {
  const auto cases = tiny_cases(100, test::of_share(40), 4);
  SweepSpec spec;
  spec.front_points = 12;
  spec.choices = {{"buffering", {"double"}}};
  const auto one = run(spec, cases, 1, out("one")), two = run(spec, cases, 2, out("two"));
  EXPECT_EQ(one.csv, two.csv);
  EXPECT_EQ(one.plans, two.plans);
  std::size_t with_points = 0, points = 0, complete = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& f = one.sweep.fronts[i];
    with_points += !f.points.empty(), points += f.points.size(), complete += f.complete;
    EXPECT_EQ(f.complete, two.sweep.fronts[i].complete);
    for (const auto& p : f.points) EXPECT_TRUE(p.verified) << f.device;
    EXPECT_EQ(f.points.empty(), !f.infeasible_reason.empty()) << f.device;
  }
  std::printf("%zu cases: %zu with points, %zu points, %zu complete, %zu plan files\n", cases.size(), with_points,
              points, complete, one.plans.size());
  EXPECT_GT(with_points, cases.size() * 5 / 8);
  EXPECT_GT(points, 2 * with_points);
  EXPECT_GT(one.plans.size(), points / 2);
}

TEST_F(Explore, ASecondRunFindsEveryLayerInTheStudyAndTheSameFront) {
  const auto cases = tiny_cases(300, 4, 4);
  SweepSpec spec;
  const auto first = run(spec, cases, 2, out("study")), second = run(spec, cases, 1, out("study"));
  EXPECT_EQ(first.csv, second.csv);
  EXPECT_EQ(first.plans, second.plans);
  EXPECT_GT(first.csv.size(), 500u);
  // Plans by rule are simulated again, for their accounts; nothing else is.
  EXPECT_GT(first.simulated, 10 * second.simulated);
  EXPECT_LE(second.simulated, static_cast<std::int64_t>(3 * cases.size()));
}

TEST_F(Explore, AnotherSpecificationFindsNothingOfTheFormerInTheStudy) {
  const auto cases = tiny_cases(300, 2, 4);
  SweepSpec all, single;
  single.choices = {{"buffering", {"single"}}};
  run(all, cases, 1, out("study"));
  const auto mixed = run(single, cases, 1, out("study")), alone = run(single, cases, 1, out("alone"));
  EXPECT_EQ(mixed.csv, alone.csv);
}

TEST_F(Explore, AnInterruptedRunSaysSoAndIsTakenUpWhereItStopped) {
  const auto cases = tiny_cases(300, 4, 4);
  SweepSpec spec;
  const auto whole = run(spec, cases, 1, out("whole"));
  std::atomic<bool> stop = false;
  const auto cut = run(spec, cases, 1, out("cut"), &stop);  // after the first simulation
  ASSERT_EQ(cut.sweep.fronts.size(), cases.size());
  for (const auto& f : cut.sweep.fronts) {
    EXPECT_FALSE(f.complete);
    EXPECT_THAT(f.notes, ::testing::Contains(::testing::HasSubstr("interrupted")));
  }
  const auto resumed = run(spec, cases, 1, out("cut"));
  EXPECT_EQ(resumed.csv, whole.csv);
  EXPECT_EQ(resumed.plans, whole.plans);
  EXPECT_LE(resumed.simulated, whole.simulated);
  EXPECT_EQ(run(spec, cases, 1, out("again")).simulated, whole.simulated);  // the last progress tells all of it
}

TEST_F(Explore, IsNeverWorseThanThePlansByRule) {
  const auto cases = tiny_cases(500, 20, 5);
  SweepSpec spec;
  spec.choices = {{"buffering", {"double"}}};  // even when what the rules use is not searched
  const auto r = run(spec, cases, 2, out("rules"));
  int rules = 0, matched = 0;
  for (const auto& f : r.sweep.fronts) {
    if (f.points.empty()) continue;
    for (const auto& m : f.marked) {
      if (m.run.failure) continue;
      ++rules;
      EXPECT_TRUE(std::any_of(
          f.points.begin(), f.points.end(),
          [&](const Point& p) { return p.memory_bytes <= m.memory_bytes && p.latency_ticks <= m.latency_ticks; }))
          << f.device << ": " << m.origin;
      matched += std::any_of(f.points.begin(), f.points.end(), [&](const Point& p) {
        return p.memory_bytes <= m.memory_bytes && p.latency_ticks <= m.latency_ticks && p.origin == "front";
      });
    }
  }
  std::printf("%d plans by rule, %d of them met or beaten by what was found without them\n", rules, matched);
  EXPECT_GT(rules, 20);
}

TEST_F(Explore, ConstraintsHoldForEveryPoint) {
  const auto cases = tiny_cases(700, 4, 4);
  SweepSpec free;
  const auto all = run(free, cases, 2, out("free"));
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& points = all.sweep.fronts[i].points;
    if (points.size() < 3) continue;
    SweepSpec spec;
    spec.constraints = {{"memory", static_cast<double>(points[points.size() / 2].memory_bytes), {}}};
    const auto some = run(spec, {cases[i]}, 1, out("constrained"));
    ASSERT_FALSE(some.sweep.fronts[0].points.empty());
    for (const auto& p : some.sweep.fronts[0].points) EXPECT_LE(p.memory_bytes, points[points.size() / 2].memory_bytes);
    EXPECT_EQ(some.sweep.fronts[0].points.front().id, points.front().id);
  }
}

}  // namespace
}  // namespace dse::explore::explore_test
