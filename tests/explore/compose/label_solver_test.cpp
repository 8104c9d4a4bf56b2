// Sums of one to seven things over made-up sections against every combination.
#include "explore/compose/labels/label_solver.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace dse::explore::label_solver_test {
namespace {

using Sums = std::vector<std::int64_t>;

/// Sections of one edge each, with options of random sums; needs below 100 bytes.
SectionGraph random_graph(std::mt19937_64& random, int sections, int options, int range) {
  SectionGraph g;
  g.memories = {0, 1, 2, 3};
  g.states.assign(sections + 1, 1);
  for (int s = 0; s < sections; ++s) {
    g.sections.emplace_back().emplace_back().options = s;
    auto& list = g.options.emplace_back();
    for (int i = 0; i < options; ++i) {
      SectionOption o;
      o.entry = i;
      for (auto& c : o.costs) c = static_cast<std::int64_t>(random() % range);
      for (auto& r : o.resident) r = static_cast<std::int64_t>(random() % range);
      for (auto& n : o.local) n = static_cast<std::int64_t>(random() % 100);
      list.push_back(o);
    }
  }
  return g;
}

Problem problem_of(const SectionGraph& graph, int sums) {
  Problem p;
  p.graph = &graph;
  for (int d = 0; d < sums; ++d) p.sums.push_back(d < kCosts ? LabelSum{d, -1} : LabelSum{-1, d - kCosts});
  for (int d = 0; d < sums; ++d) p.objectives.push_back({{}, {d}, kUnlimited});
  return p;
}

std::set<Sums> every(const SectionGraph& g, const Problem& p, const MemoryVector& cap) {
  std::set<Sums> all = {Sums(p.sums.size(), 0)};
  for (const auto& section : g.sections) {
    std::set<Sums> next;
    for (const auto& sums : all)
      for (const auto& o : g.of(section[0])) {
        bool fits = true;
        for (int m = 0; m < kMaxCaps; ++m) fits &= o.local[m] <= cap[m];
        if (!fits) continue;
        auto v = sums;
        for (std::size_t d = 0; d < v.size(); ++d)
          v[d] += p.sums[d].cost >= 0 ? o.costs[p.sums[d].cost] : o.resident[p.sums[d].memory];
        next.insert(v);
      }
    all = std::move(next);
  }
  return all;
}

bool no_more(const Sums& a, const Sums& b) {
  for (std::size_t d = 0; d < a.size(); ++d)
    if (a[d] > b[d]) return false;
  return true;
}

std::set<Sums> unbeaten(const std::set<Sums>& all) {
  std::vector<Sums> kept;
  for (const auto& v : all)
    if (std::none_of(kept.begin(), kept.end(), [&](const Sums& k) { return no_more(k, v); })) kept.push_back(v);
  return {kept.begin(), kept.end()};
}

class LabelSolverSums : public testing::TestWithParam<int> {};

TEST_P(LabelSolverSums, FindsWhatNoOtherCombinationBeats) {
  std::mt19937_64 random(GetParam());
  std::size_t most = 0;
  for (int round = 0; round < 12; ++round) {
    const auto graph = random_graph(random, 4, 7, round % 2 ? 30 : 1000);
    auto problem = problem_of(graph, GetParam());
    problem.tails = round % 3 == 0 ? 1 : 5;
    const auto solver = LabelSolver::make(problem);
    for (const std::int64_t c : {100, 60}) {
      const MemoryVector cap = {c, 100, 100, 100};
      ASSERT_TRUE(solver->solve({}, cap, Incumbents(GetParam())));
      std::set<Sums> found;
      for (std::size_t i = 0; i < solver->found().size(); ++i) {
        const auto& way = solver->found()[i];
        found.insert(way.sums);
        const auto picks = solver->picks(i);
        Sums sums(problem.sums.size(), 0);
        MemoryVector peak{};
        for (std::size_t s = 0; s < picks.size(); ++s) {
          const auto& o = graph.of(graph.sections[s][0])[picks[s].entry];
          for (std::size_t d = 0; d < sums.size(); ++d)
            sums[d] += problem.sums[d].cost >= 0 ? o.costs[problem.sums[d].cost] : o.resident[problem.sums[d].memory];
          for (int m = 0; m < kMaxCaps; ++m) peak[m] = std::max(peak[m], o.local[m]);
        }
        ASSERT_EQ(sums, way.sums);
        ASSERT_EQ(peak, way.peak);
        ASSERT_LE(peak[0], c);
      }
      ASSERT_EQ(found.size(), solver->found().size());
      ASSERT_EQ(found, unbeaten(every(graph, problem, cap))) << "round " << round;
      most = std::max(most, found.size());
    }
  }
  if (GetParam() >= 4) {
    EXPECT_GT(most, 100u);
  }
}

TEST_P(LabelSolverSums, LimitsAndIncumbentsTakeAwayOnlyWhatTheyMay) {
  std::mt19937_64 random(100 + GetParam());
  for (int round = 0; round < 12; ++round) {
    const auto graph = random_graph(random, 4, 6, 50);
    auto problem = problem_of(graph, GetParam());
    problem.tails = 1 + round % 4;
    problem.limits.push_back({{}, {GetParam() - 1}, 90});
    const auto all = every(graph, problem, {100, 100, 100, 100});
    Incumbents incumbents(GetParam());
    for (const auto& v : all)
      if (random() % 50 == 0 && !incumbents.beaten(v.data())) incumbents.insert({v, {}});
    std::set<Sums> open;
    for (const auto& v : unbeaten(all))
      if (v.back() <= 90 && !incumbents.beaten(v.data())) open.insert(v);
    const auto solver = LabelSolver::make(problem);
    ASSERT_TRUE(solver->solve({}, {100, 100, 100, 100}, incumbents));
    std::set<Sums> found;
    for (const auto& way : solver->found())
      if (!incumbents.beaten(way.sums.data())) found.insert(way.sums);
    ASSERT_EQ(found, open) << "round " << round;
  }
}

TEST_P(LabelSolverSums, MergedLabelsAreNoWorseThanAnyCombination) {
  std::mt19937_64 random(200 + GetParam());
  for (int round = 0; round < 12; ++round) {
    const auto graph = random_graph(random, 4, 6, 50);
    auto problem = problem_of(graph, GetParam());
    problem.merge = true;
    problem.max_labels = 1 + round;
    const auto solver = LabelSolver::make(problem);
    ASSERT_TRUE(solver->solve({}, {100, 100, 100, 100}, Incumbents(GetParam())));
    ASSERT_LE(solver->found().size(), problem.max_labels);
    for (const auto& v : every(graph, problem, {100, 100, 100, 100}))
      ASSERT_TRUE(std::any_of(solver->found().begin(), solver->found().end(),
                              [&](const auto& way) { return no_more(way.sums, v); }));
  }
}

INSTANTIATE_TEST_SUITE_P(OneToSeven, LabelSolverSums, testing::Range(1, 8));

}  // namespace
}  // namespace dse::explore::label_solver_test
