// The parts of the search on their own: valleys, the table of states, the beam, what a problem must be.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "methods/order/search.h"
#include "methods/order/state_set.h"
#include "tests/methods/order/random_graphs.h"

namespace dse::plan::test::parts_test {
namespace {

/// Runs ready operators at random until `count` have run.
std::vector<int> wander(order::Executed& e, int count, std::mt19937_64& r) {
  std::vector<int> run;
  while (e.count() < count && !e.all_ready().empty()) {
    run.push_back(e.all_ready()[r() % e.all_ready().size()]);
    e.run(run.back());
  }
  return run;
}

// Against all closed parts of a run.
TEST(OrderParts, ValleysAreTheLowestClosedParts) {
  std::mt19937_64 r(7);
  int proper = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const auto graph = order::compile(random_problem(seed, 12), OrderRule::out_of_place);
    order::Executed e(graph);
    const auto before = wander(e, static_cast<int>(r() % 4), r);
    const auto run = wander(e, graph.size(), r);
    const auto part = order::lowest_part(graph, e, run, order::Part::largest);
    const auto small = order::lowest_part(graph, e, run, order::Part::smallest);
    order::Executed unrun(graph);  // the same question asked before the operators have run
    for (const int op : before) unrun.run(op);
    EXPECT_EQ(order::lowest_part(graph, unrun, run, order::Part::largest), part) << "seed " << seed;
    EXPECT_EQ(order::lowest_part(graph, unrun, run, order::Part::smallest), small) << "seed " << seed;
    for (std::size_t i = 0; i < run.size(); ++i)
      if (small[i]) unrun.run(run[i]);
    std::int64_t lowest = e.live(), of_part = -1;
    std::size_t largest = run.size();
    for (std::uint32_t set = 0; set + 1 < std::uint32_t{1} << run.size(); ++set) {
      order::Executed other(graph);
      for (const int op : before) other.run(op);
      std::size_t size = 0;
      bool closed = true, same = true;
      for (std::size_t i = 0; i < run.size() && closed; ++i) {
        same = same && (set >> i & 1) == static_cast<std::uint32_t>(part[i]);
        if (!(set >> i & 1)) continue;
        closed = other.ready(run[i]);
        if (closed) other.run(run[i]), ++size;
      }
      if (!closed) continue;
      if (same) of_part = other.live();
      if (other.live() < lowest || (other.live() == lowest && size > largest)) lowest = other.live(), largest = size;
    }
    const auto chosen = static_cast<std::size_t>(std::count(part.begin(), part.end(), 1));
    if (chosen == run.size()) of_part = e.live();
    EXPECT_EQ(unrun.live(), lowest) << "seed " << seed;
    for (std::size_t i = 0; i < run.size(); ++i) EXPECT_LE(small[i], part[i]) << "seed " << seed;
    EXPECT_EQ(of_part, lowest) << "seed " << seed << ": not closed (-1), or not the lowest";
    EXPECT_EQ(chosen, largest) << "seed " << seed << ": not the largest of the lowest";
    proper += chosen > 0 && chosen < run.size();
  }
  EXPECT_GT(proper, 50);
}

TEST(OrderParts, UndoingIsTheOppositeOfRunning) {
  std::mt19937_64 r(3);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto graph = order::compile(random_problem(seed, 12), OrderRule::inplace_ew);
    order::Executed e(graph);
    std::vector<std::int64_t> live;
    std::vector<std::vector<int>> ready;
    std::vector<int> run;
    const auto sorted = [&] {
      auto v = e.all_ready();
      std::sort(v.begin(), v.end());
      return v;
    };
    while (!e.all_ready().empty()) {
      live.push_back(e.live()), ready.push_back(sorted());
      run.push_back(wander(e, e.count() + 1, r)[0]);
    }
    ASSERT_EQ(static_cast<int>(run.size()), graph.size());
    for (std::size_t i = run.size(); i-- > 0;) {
      e.undo(run[i]);
      ASSERT_EQ(e.live(), live[i]) << "seed " << seed;
      ASSERT_EQ(sorted(), ready[i]) << "seed " << seed;
    }
  }
}

TEST(OrderParts, TheTableOfStatesKnowsWhatItWasGiven) {
  std::mt19937_64 r(5);
  order::StateSet table(std::int64_t{1} << 30);
  std::set<std::vector<std::uint64_t>> known;
  for (int i = 0; i < 50'000; ++i) {
    std::vector<std::uint64_t> bits(6, 0);
    const auto full = r() % 5;  // mostly prefixes, as of executed operators
    for (std::size_t w = 0; w < full; ++w) bits[w] = ~std::uint64_t{0};
    bits[full] = r() % 4096, bits[5] = r() % 3 == 0;
    const auto entry = table.add(bits);
    ASSERT_EQ(entry.added, known.insert(bits).second);
    if (r() % 4 == 0) table.forget(entry.place), known.erase(bits);
  }
  EXPECT_GT(known.size(), 1000u);
  EXPECT_FALSE(table.full());
}

TEST(OrderParts, TheTableOfStatesSaysWhenItIsFull) {
  order::StateSet table(1 << 20);
  std::uint64_t i = 0;
  while (!table.full() && i < 1'000'000) table.add({++i * 0x9E3779B97F4A7C15ull, i});
  EXPECT_TRUE(table.full());
  EXPECT_GT(i, 5'000u);
}

/// `n` branches of two operators, the first ones large, which all have to be summed in the end.
OrderProblem fan(int n) {
  OrderProblem p;
  p.tensors.push_back({"in", 10, true, false, -1});
  OrderOperator last;
  for (int i = 0; i < n; ++i) {
    const int large = static_cast<int>(p.tensors.size());
    p.tensors.push_back({"large", 100 + i, false, false, -1});
    p.tensors.push_back({"small", 1, false, false, -1});
    p.operators.push_back({"a", "A", {0}, {large}, {}, false});
    last.inputs.push_back(large + 1);
  }
  for (int i = 0; i < n; ++i) p.operators.push_back({"b", "B", {1 + 2 * i}, {2 + 2 * i}, {}, false});
  last.outputs = {static_cast<int>(p.tensors.size())};
  p.tensors.push_back({"out", 1, false, true, -1});
  p.operators.push_back(last);
  return p;
}

// 200 branches: 2^200 sets, of which all have more bytes alive than the start. From the end they are valleys.
TEST(OrderParts, BranchesThatEndHigherAreNoWork) {
  const auto p = fan(200);
  OrderEffort effort;
  effort.steps = 4'000'000, effort.beam = 1;
  const auto r = find_order(p, OrderRule::out_of_place, effort);
  EXPECT_TRUE(r.optimal) << r.lower_bound_bytes << " to " << r.peak_bytes;
  EXPECT_EQ(r.peak_bytes, 10 + 299 + 1) << "the largest first, while the others have left nothing yet";
}

// 200 branches that read inputs of their own, shrink what they read after a peak of 50 to 249 bytes above it, and end
// below where they began: 3^200 sets, and no choice at all.
TEST(OrderParts, BranchesThatEndLowerAreNoWork) {
  OrderProblem p;
  OrderOperator last;
  for (int i = 0; i < 200; ++i) {
    const int in = static_cast<int>(p.tensors.size());
    p.tensors.push_back({"in", 20, true, false, -1});
    p.tensors.push_back({"large", 50 + (i * 7) % 200, false, false, -1});
    p.tensors.push_back({"small", 1, false, false, -1});
    p.operators.push_back({"a", "A", {in}, {in + 1}, {}, false});
    p.operators.push_back({"b", "B", {in + 1}, {in + 2}, {}, false});
    last.inputs.push_back(in + 2);
  }
  last.outputs = {static_cast<int>(p.tensors.size())};
  p.tensors.push_back({"out", 1, false, true, -1});
  p.operators.push_back(last);
  OrderEffort effort;
  effort.steps = 1'000'000, effort.beam = 1;
  const auto r = find_order(p, OrderRule::out_of_place, effort);
  EXPECT_TRUE(r.optimal);
  EXPECT_EQ(r.peak_bytes, 200 * 20 + 50) << "the least first, each later one when 19 bytes more are free";
}

TEST(OrderParts, TheBeamGivesAnOrderOfAnyWidth) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto graph = order::compile(random_problem(seed, 30), OrderRule::inplace_ew);
    for (const int width : {1, 2, 16}) EXPECT_NO_THROW(order::peak_of(graph, order::beam_search(graph, width)));
  }
}

TEST(OrderParts, WhatIsNoProblemIsRefused) {
  const auto refused = [](const auto& change) {
    auto p = fan(3);
    change(p);
    EXPECT_THROW(find_order(p, OrderRule::out_of_place), InvariantError);
  };
  refused([](OrderProblem& p) { p.operators[0].inputs = {99}; });
  refused([](OrderProblem& p) { p.operators[0].after = {-1}; });
  refused([](OrderProblem& p) { p.operators[0].after = {6}; });       // a cycle
  refused([](OrderProblem& p) { p.operators[0].outputs = {1, 3}; });  // made twice
  refused([](OrderProblem& p) { p.operators[0].outputs.clear(); });   // never made
  refused([](OrderProblem& p) { p.tensors[1].given = true; });        // given and made
  refused([](OrderProblem& p) { p.tensors[1].bytes = -1; });
  refused([](OrderProblem& p) { p.tensors[1].bytes = std::int64_t{1} << 61; });
  refused([](OrderProblem& p) { p.tensors[1].alias = 3; });  // of what its maker does not read
  refused([](OrderProblem& p) { p.tensors[1].alias = 1; });
  const auto p = fan(3);
  for (const std::vector<int>& order :
       {std::vector<int>{0, 1, 2}, {3, 0, 1, 2, 4, 5, 6}, {0, 0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 5, 9}})
    EXPECT_THROW(peak_of(p, OrderRule::out_of_place, order), InvariantError);
}

}  // namespace
}  // namespace dse::plan::test::parts_test
