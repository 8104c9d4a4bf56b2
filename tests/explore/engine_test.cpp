// What becomes of a search whose workers crash, hang or are stopped, and what a later run finds in the study.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <set>
#include <thread>

#include "explore/explore.h"
#include "explore/study/study_reader.h"
#include "plan/network/layers.h"
#include "reports/run/csv.h"
#include "tests/support/random_cases.h"

namespace dse::explore::engine_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A number that all workers count in.
class Shared {
 public:
  Shared() {
    void* p =
        ::mmap(nullptr, sizeof(std::atomic<std::int64_t>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    value_ = new (p) std::atomic<std::int64_t>(0);
  }
  ~Shared() { ::munmap(value_, sizeof *value_); }
  std::int64_t operator++(int) { return value_->fetch_add(1); }
  std::int64_t take() { return value_->exchange(0); }

 private:
  std::atomic<std::int64_t>* value_;
};

class Engine : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = (fs::temp_directory_path() / ("dse-engine-" + std::to_string(::getpid()))).string();
    fs::remove_all(folder_);
    test::Random random(12);
    for (std::uint64_t seed = 12; cases_.empty(); ++seed) {
      test::Random draw(seed);
      Case c;
      c.network = test::random_network(draw), c.device = test::random_device(draw), c.device_label = "random";
      const auto layers = plan::layers_of(*c.network, true).size();
      if (layers >= 2 && layers <= 4 && c.device->memories.size() > 1 && c.device->engines.size() > 1)
        cases_.push_back(c);
    }
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Explores into a folder of its own name; `before` is called in the workers.
  Front run(const std::string& name, const std::function<void(const std::string&)>& before = {},
            const std::function<void(ExploreOptions&)>& adapt = {}) {
    ExploreOptions o;
    o.jobs = 2, o.out = folder_ + "/" + name;
    o.before_candidate = before;
    if (adapt) adapt(o);
    Diagnostics d;
    auto sweep = explore(spec_, cases_, o, d);
    EXPECT_FALSE(d.has_errors()) << d.text();
    csv_ = reports::front_csv(sweep);
    return sweep.fronts.at(0);
  }
  /// All candidates of the study, by subject's key.
  std::vector<std::pair<std::string, Candidate>> stored(const std::string& name) const {
    std::vector<std::pair<std::string, Candidate>> out;
    const StudyReader reader(folder_ + "/" + name);
    for (const auto& s : reader.subjects())
      reader.each(s.id, [&](const StudyRow& row) { out.emplace_back(s.subject.key, row.candidate); });
    return out;
  }
  /// An assignment of a layer that was simulated, in the middle of the list, and how many subjects simulated it.
  std::pair<std::string, int> victim(const std::string& name) const {
    std::vector<std::string> simulated;
    for (const auto& [key, c] : stored(name))
      if (c.status == CandidateStatus::simulated && c.plan.empty() && !c.assignment.empty())
        simulated.push_back(c.assignment);
    EXPECT_FALSE(simulated.empty());
    const auto text = simulated.at(simulated.size() / 2);
    return {text, static_cast<int>(std::count(simulated.begin(), simulated.end(), text))};
  }

  std::string folder_, csv_;
  std::vector<Case> cases_;
  SweepSpec spec_;
};

TEST_F(Engine, ACandidateThatCrashesIsLeftOutAndNamed) {
  const auto whole = run("whole");
  ASSERT_TRUE(whole.complete);
  const auto [text, subjects] = victim("whole");
  const auto front = run("crash", [text = text](const std::string& t) {
    if (t == text) ::raise(SIGABRT);
  });
  EXPECT_EQ(front.lost, subjects);
  EXPECT_FALSE(front.complete);
  EXPECT_THAT(front.notes,
              ::testing::Contains(HasSubstr("'" + text + "' was left out: its simulation crashed (signal 6")));
  int named = 0;
  for (const auto& [key, c] : stored("crash")) {
    if (c.status != CandidateStatus::crashed) continue;
    ++named;
    EXPECT_EQ(c.assignment, text);
    EXPECT_THAT(c.reason, HasSubstr("signal 6"));
  }
  EXPECT_EQ(named, subjects);
  // It stays left out, and everything else is remembered.
  Shared count;
  const auto again = run("crash", [&](const std::string&) { count++; });
  EXPECT_EQ(again.lost, subjects);
  EXPECT_EQ(count.take(), 0);
}

TEST_F(Engine, ACandidateThatHangsIsLeftOutAndNamed) {
  run("whole");
  const auto [text, subjects] = victim("whole");
  const auto front = run(
      "hang",
      [text = text](const std::string& t) {
        if (t == text) std::this_thread::sleep_for(std::chrono::hours(1));
      },
      [](ExploreOptions& o) { o.hang_seconds = 0.25; });
  EXPECT_EQ(front.lost, subjects);
  int named = 0;
  for (const auto& [key, c] : stored("hang")) named += c.status == CandidateStatus::hung;
  EXPECT_EQ(named, subjects);
}

TEST_F(Engine, AWorkerThatIsKilledOnceCostsNothing) {
  run("whole");
  const auto undisturbed = csv_;
  Shared count;
  const auto front = run("killed", [&](const std::string&) {
    if (count++ % 37 == 20) ::raise(SIGKILL);
  });
  EXPECT_TRUE(front.complete);
  EXPECT_EQ(front.lost, 0);
  EXPECT_EQ(csv_, undisturbed);
}

TEST_F(Engine, WhatIsFinishedIsNotSimulatedAgain) {
  Shared count;
  const auto counting = [&](const std::string&) { count++; };
  run("again", counting);
  const auto first = csv_;
  EXPECT_GT(count.take(), 0);
  run("again", counting);
  EXPECT_EQ(count.take(), 0);
  EXPECT_EQ(csv_, first);
}

TEST_F(Engine, AStoppedRunGoesOnWhereItWas) {
  Shared count;
  run("whole", [&](const std::string&) { count++; });
  const auto all = count.take();
  const auto undisturbed = csv_;
  std::atomic<bool> stop = false;
  const auto part = run(
      "part",
      [&](const std::string&) {
        count++;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      },
      [&](ExploreOptions& o) {
        o.interrupted = &stop;
        o.progress = [&](const Progress& p) { stop = stop || p.simulated > all / 2; };
      });
  EXPECT_FALSE(part.complete);
  const auto before = count.take();
  std::int64_t kept = 0;
  for (const auto& [key, c] : stored("part")) kept += c.status == CandidateStatus::simulated;
  EXPECT_GT(kept, 0);
  run("part", [&](const std::string&) { count++; });
  EXPECT_EQ(csv_, undisturbed);
  const auto after = count.take();
  EXPECT_LT(after, all);
  EXPECT_LE(after, all - kept + static_cast<std::int64_t>(2));
  EXPECT_GE(before + after, all);
}

TEST_F(Engine, TheOrderOfDeclarationsDoesNotInvalidateAStudy) {
  Shared count;
  run("order");
  const auto first = csv_;
  const auto standard = plan::ChoiceRegistry::standard();
  auto reversed = standard.all();
  std::reverse(reversed.begin(), reversed.end());
  plan::ChoiceRegistry registry;
  for (auto& c : reversed) registry.add(c);
  run(
      "order", [&](const std::string&) { count++; }, [&](ExploreOptions& o) { o.registry = &registry; });
  EXPECT_EQ(count.take(), 0);
  EXPECT_EQ(csv_, first);
}

TEST_F(Engine, AMoreGenerousBudgetLeavesASmallerGap) {
  double before = 2;
  std::vector<double> gaps;
  for (const int simulations : {1, 40, 160, 640, 0}) {
    spec_.simulations = simulations;
    const auto front = run("budget-" + std::to_string(simulations));
    ASSERT_GE(front.gap, 0) << simulations;
    EXPECT_LE(front.gap, before + 1e-12) << simulations;
    before = front.gap;
    gaps.push_back(front.gap);
  }
  EXPECT_EQ(gaps.back(), 0);
  EXPECT_GT(gaps.front(), 0);
}

TEST_F(Engine, ExhaustiveSearchFindsTheFrontThatExactSearchProves) {
  spec_.choices = {
      {"scheme", {"interleaved"}}, {"tile", {"all", "1"}}, {"filters", {"all"}}, {"buffering", {"double"}}};
  spec_.front_points = 0;
  const auto exact = run("exact");
  spec_.search = "exhaustive";
  const auto brute = run("brute");
  ASSERT_TRUE(exact.complete);
  ASSERT_TRUE(brute.complete);
  const auto values = [](const Front& f) {
    std::set<std::pair<std::int64_t, std::int64_t>> out;
    for (const auto& p : f.points) out.insert({p.memory_bytes, p.latency_ticks});
    return out;
  };
  EXPECT_EQ(values(exact), values(brute));
  EXPECT_GT(brute.simulated, 10);
}

}  // namespace
}  // namespace dse::explore::engine_test
