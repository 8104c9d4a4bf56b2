// What a sweep asks of a device with an NPU: limits, budgets, interruptions.
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <regex>

#include "explore/explore.h"
#include "explore/front/front.h"
#include "tests/explore/npu/networks.h"
#include "tests/support/random_cases.h"
#include "tests/support/slow.h"

namespace dse::explore::npu::questions_test {
namespace {

using dse::test::Random;
using hw::ethos_u::MemoryMode;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

Case case_of(nn::NetworkPtr n, hw::DevicePtr d) {
  Case c;
  c.network = std::move(n), c.device = std::move(d), c.device_label = c.device->name;
  return c;
}

Front front_of(const Case& c, const SweepSpec& spec, const std::function<void(ExploreOptions&)>& adapt = {}) {
  ExploreOptions options;
  if (adapt) adapt(options);
  Diagnostics d;
  auto sweep = explore(spec, {c}, options, d);
  EXPECT_FALSE(d.has_errors()) << d.text();
  return std::move(sweep.fronts.at(0));
}

double least_of(const Front& f, const std::string& metric) {
  double out = -1;
  for (const auto* list : {&f.points, &f.marked})
    for (const auto& p : *list)
      if (!p.run.failure && (out < 0 || value_of(p, metric) < out)) out = value_of(p, metric);
  return out;
}

TEST(NpuQuestions, TheLeastIsTrueOfEveryLimit) {
  Random random(33);
  int by_rule = 0, searched = 0;
  for (int i = 0; i < dse::test::of_cases(6); ++i) {
    const auto mode = static_cast<MemoryMode>(random() % 3);
    const auto c = case_of(dse::test::random_network(random), test::device_with_npu("ethos-u55-64", mode));
    SweepSpec spec;
    spec.simulations = 12;
    const Front free = front_of(c, spec);
    ASSERT_FALSE(free.points.empty()) << free.infeasible_reason;
    for (const std::string metric : {"memory", "latency"}) {
      const double least = least_of(free, metric);
      if (least == 0) continue;  // of the CPU alone, with all tensors off the chip: there is nothing less to ask for
      auto limited = spec;
      for (const double share : {0.999999, static_cast<double>(random() % 1000) / 1000}) {
        limited.constraints = {{metric, least * share, {}}};
        const Front none = front_of(c, limited);
        EXPECT_TRUE(none.points.empty()) << metric;
        ASSERT_EQ(none.least.size(), 1u) << none.infeasible_reason;
        EXPECT_EQ(none.least[0].alone.value, least) << none.infeasible_reason;
        EXPECT_THAT(none.infeasible_reason, HasSubstr("no plan meets " + metric));
        (none.least[0].alone.outside == "given" ? by_rule : searched)++;
      }
      limited.constraints = {{metric, least, {}}};
      const Front some = front_of(c, limited);
      EXPECT_FALSE(some.points.empty()) << metric << ": " << some.infeasible_reason;
      EXPECT_EQ(least_of(some, metric), least);
    }
  }
  EXPECT_GT(by_rule, 0) << "no case in which a plan by rule needs the least";
  EXPECT_GT(searched, 0);
}

TEST(NpuQuestions, WhatIsMissingOfTheMemoryIsTheLeastThatWouldDo) {
  for (const auto& [first, second] : {std::pair{4, 8}, {8, 16}}) {
    const auto ran_in = [&, n = test::thesis_network(first, second)](std::int64_t sram) {
      return front_of(case_of(n, test::device_with_npu("ethos-u55-64", MemoryMode::shared_sram, sram)), {});
    };
    const Front none = ran_in(512);
    ASSERT_TRUE(none.points.empty());
    EXPECT_FALSE(none.undecided);
    std::smatch missing;
    const auto& why = none.infeasible_reason;
    ASSERT_TRUE(std::regex_search(why, missing, std::regex("(\\d+) bytes are missing"))) << why;
    const auto enough = 512 + std::stoll(missing[1]);
    EXPECT_FALSE(ran_in(enough).points.empty()) << why;
    EXPECT_TRUE(ran_in(enough - 1).points.empty()) << why;
  }
}

TEST(NpuQuestions, LimitsThatExcludeEachOtherSayWhatWouldDo) {
  const auto c = case_of(test::thesis_network(4, 8), test::device_with_npu("ethos-u55-64"));
  SweepSpec spec;
  spec.simulations = 12;
  const Front free = front_of(c, spec);
  ASSERT_GT(free.points.size(), 1u);
  const double memory = least_of(free, "memory"), latency = least_of(free, "latency");
  spec.constraints = {{"memory", memory, {}}, {"latency", latency, {}}};
  const Front none = front_of(c, spec);
  ASSERT_TRUE(none.points.empty());
  ASSERT_EQ(none.least.size(), 2u);
  for (std::size_t k = 0; k < 2; ++k) {
    ASSERT_GT(none.least[k].beside.value, none.least[k].limit);
    auto asked = spec;
    asked.constraints[k].limit = none.least[k].beside.value;
    EXPECT_FALSE(front_of(c, asked).points.empty());
    asked.constraints[k].limit = none.least[k].beside.value * 0.999999;
    const Front again = front_of(c, asked);
    ASSERT_TRUE(again.points.empty());
    EXPECT_EQ(again.least[k].beside.value, none.least[k].beside.value);
  }
}

TEST(NpuQuestions, ABudgetOfSimulationsIsKeptAndSaid) {
  const auto c = case_of(test::thesis_network(8, 16), test::device_with_npu("ethos-u55-128"));
  const Front whole = front_of(c, {});
  EXPECT_EQ(whole.skipped, 0);
  for (const std::int64_t budget : {4, 6, 10, 40}) {
    ASSERT_LT(budget, whole.simulated);
    SweepSpec spec;
    spec.simulations = budget;
    const Front f = front_of(c, spec);
    EXPECT_EQ(f.simulated, budget);
    EXPECT_GT(f.skipped, 0);
    ASSERT_FALSE(f.points.empty());
    EXPECT_THAT(f.notes, Contains(HasSubstr(" schedules were not simulated: the budget of " + std::to_string(budget) +
                                            " simulations was used up")));
    EXPECT_THAT(f.notes, Not(Contains(HasSubstr("layer schedules"))));
  }
  SweepSpec spec;
  spec.simulations = 10 * whole.simulated;
  const Front same = front_of(c, spec);
  EXPECT_EQ(same.simulated, whole.simulated);
  EXPECT_EQ(same.skipped, 0);
  EXPECT_EQ(same.values, whole.values);
}

TEST(NpuQuestions, ABudgetOfTimeEndsTheSearchWithAFrontOfAllCases) {
  std::vector<Case> cases;
  for (const char* a : {"ethos-u55-32", "ethos-u55-256", "ethos-u65-256"})
    cases.push_back(case_of(test::thesis_network(8, 16), test::device_with_npu(a)));
  SweepSpec spec;
  spec.seconds = 1e-3;
  Diagnostics d;
  const auto sweep = explore(spec, cases, {}, d);
  ASSERT_EQ(sweep.fronts.size(), cases.size()) << d.text();
  for (const auto& f : sweep.fronts) {
    EXPECT_TRUE(std::any_of(f.points.begin(), f.points.end(), [](const Point& p) { return p.outside != "given"; }));
    EXPECT_GT(f.skipped, 0);
    EXPECT_THAT(f.notes, Contains(HasSubstr("another run may find another front")));
  }
}

/// A flag that workers and their parent share.
class SharedFlag {
 public:
  SharedFlag()
      : flag_(new (::mmap(nullptr, sizeof(std::atomic<bool>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                          0)) std::atomic<bool>(false)) {}
  ~SharedFlag() { ::munmap(flag_, sizeof *flag_); }
  std::atomic<bool>* get() { return flag_; }

 private:
  std::atomic<bool>* flag_;
};

TEST(NpuQuestions, AnInterruptedSearchKeepsWhatItHasFound) {
  const auto c = case_of(test::thesis_network(8, 16), test::device_with_npu("ethos-u55-128"));
  const auto folder = std::filesystem::temp_directory_path() / ("dse-npu-asked-" + std::to_string(::getpid()));
  const Front whole = front_of(c, {});
  for (const int plans : {1, 3}) {
    std::filesystem::remove_all(folder);
    SharedFlag flag;
    int seen = 0;
    const auto stopped = [&](ExploreOptions& o) {
      o.out = folder.string(), o.interrupted = flag.get();
      o.before_candidate = [&](const std::string&) {
        if (seen++ < plans) return;
        ::usleep(200'000);  // what was found before travels with the next sign of life
        flag.get()->store(true);
        for (;;) ::pause();
      };
    };
    const Front f = front_of(c, {}, stopped);
    EXPECT_THAT(f.notes, Contains(HasSubstr("interrupted: the front so far")));
    ASSERT_FALSE(f.points.empty());
    EXPECT_LT(f.simulated, whole.simulated);
    // and goes on to the whole when it is run again
    const Front again = front_of(c, {}, [&](ExploreOptions& o) { o.out = folder.string(); });
    EXPECT_EQ(again.values, whole.values);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace dse::explore::npu::questions_test
