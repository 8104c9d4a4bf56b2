// The space: what a layer may choose, keys that outlive the order of declarations, and reasons where nothing is left.
#include "explore/space/space.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "explore/layer/layer_search.h"
#include "plan/choices/assignment.h"
#include "plan/choices/homes.h"
#include "plan/network/layers.h"
#include "tests/support/random_cases.h"

namespace dse::explore::space_test {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

plan::ChoiceRegistry in_order(std::vector<plan::Choice> choices) {
  plan::ChoiceRegistry r;
  for (auto& c : choices) r.add(std::move(c));
  return r;
}

TEST(Space, OrderOfDeclarationsChangesNothing) {
  const auto standard = plan::ChoiceRegistry::standard();
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    const auto device = test::random_device(random);
    auto choices = standard.all();
    std::shuffle(choices.begin(), choices.end(), random);
    if (seed == 0) std::reverse(choices.begin(), choices.end());
    const auto other = in_order(choices);
    const Space space(*network, *device, SweepSpec());
    const auto goal = default_goal(*device);
    for (std::size_t t = 0; t < space.tasks.size(); ++t) {
      const auto& task = space.tasks[t];
      const auto a = enumerate(task, standard), b = enumerate(task, other);
      ASSERT_EQ(a, b);
      for (const auto& c : a)
        ASSERT_EQ(plan::layer_text(standard, task.context, c), plan::layer_text(other, task.context, c));
      if (t % 4) continue;
      EXPECT_EQ(to_text(search_layer(task, standard, {}, goal), task, standard),
                to_text(search_layer(task, other, {}, goal), task, other));
    }
  }
}

TEST(Space, KeysArePrintableAndTellWhatIsAllowedApart) {
  int apart = 0, same = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    const auto device = test::random_device(random);
    const Space free(*network, *device, SweepSpec());
    SweepSpec spec;
    const auto& name = network->operators[free.layers[0]].name;
    spec.choices[name + ".buffering"] = {"double"};
    const Space bound(*network, *device, spec);
    const Space again(*network, *device, spec);
    std::set<std::string> keys;
    for (std::size_t t = 0; t < free.tasks.size(); ++t) {
      const auto key = free.key_of(static_cast<int>(t));
      EXPECT_THAT(key, MatchesRegex("[0-9a-f]{16}"));
      EXPECT_TRUE(keys.insert(key).second) << "two searches, one key";
    }
    EXPECT_GE(bound.tasks.size(), free.tasks.size()) << "equal shapes with different allowed values are two searches";
    for (std::size_t t = 0; t < bound.tasks.size(); ++t) {
      const int i = static_cast<int>(t);
      EXPECT_EQ(bound.key_of(i), again.key_of(i));
      const bool restricted = bound.tasks[t].allowed.values.count("buffering") > 0;
      EXPECT_EQ(keys.count(bound.key_of(i)), restricted ? 0u : 1u);
      bool known = false;  // its candidates are those of a search without restrictions
      for (std::size_t f = 0; f < free.tasks.size(); ++f)
        known |= free.subject_of(static_cast<int>(f)) == bound.subject_of(i);
      EXPECT_TRUE(known);
      (restricted ? apart : same) += 1;
    }
    std::set<int> used;
    for (const auto& tasks : bound.tasks_of) used.insert(tasks.begin(), tasks.end());
    EXPECT_EQ(used.size(), bound.tasks.size());
  }
  EXPECT_GT(apart, 20);
  EXPECT_GT(same, 20);
}

TEST(Space, HowManyCallsALayerMayTakeIsPartOfTheQuestion) {
  const auto registry = plan::ChoiceRegistry::standard();
  std::int64_t outside = 0, more = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    const auto device = test::random_device(random);
    SweepSpec few;
    few.max_calls = 4;
    const Space usual(*network, *device, {}), narrow(*network, *device, few);
    ASSERT_EQ(usual.tasks.size(), narrow.tasks.size());
    for (int t = 0; t < static_cast<int>(usual.tasks.size()); ++t) {
      EXPECT_EQ(usual.subject_of(t), narrow.subject_of(t));  // what is simulated is of use to both
      EXPECT_NE(usual.key_of(t), narrow.key_of(t));
      const auto goal = goal_of({}, *device);
      const auto all = search_layer(usual.tasks[t], registry, {}, goal),
                 some = search_layer(narrow.tasks[t], registry, {}, goal);
      EXPECT_EQ(all.own + all.fetched + all.outside, some.own + some.fetched + some.outside);
      outside += some.outside, more += all.outside;
      std::int64_t fewest = kMaxCalls, most = 0;  // more only where none of so few fits
      for (const auto& e : some.entries) {
        const auto calls = calls_of(plan::layer_geometry(narrow.tasks[t].context, e.choice));
        fewest = std::min(fewest, calls), most = std::max(most, calls);
      }
      if (fewest <= few.max_calls) EXPECT_LE(most, few.max_calls);
    }
  }
  EXPECT_GT(outside, 100);
  EXPECT_LT(more, outside);
}

TEST(Space, WhatIsSaidOfALayerGoesBeforeWhatIsSaidOfAllAndHoldsEverywhere) {
  const auto registry = plan::ChoiceRegistry::standard();
  int own = 0, global = 0, none = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    const auto device = test::random_device(random);
    SweepSpec spec;
    const int first = plan::layers_of(*network, true).front();
    spec.choices["scheme"] = {"interleaved"};
    spec.choices[network->operators[first].name + ".scheme"] = {seed % 2 ? "planar" : "pixel-block"};
    const auto wanted = seed % 2 ? plan::Scheme::planar : plan::Scheme::pixel_block;
    const Space space(*network, *device, spec);
    for (const auto& task : space.tasks) {
      const auto all = enumerate(task, registry);
      for (const auto& c : all) EXPECT_EQ(c.scheme, task.op == first ? wanted : plan::Scheme::interleaved);
      (task.op == first ? own : global) += static_cast<int>(all.size());
      if (!all.empty()) continue;
      ++none;
      EXPECT_EQ(task.op, first);
      EXPECT_THAT(why_none(task, registry),
                  HasSubstr("choices." + network->operators[first].name +
                            (seed % 2 ? ".scheme allows planar, but possible here is interleaved"
                                      : ".scheme allows pixel-block, but possible here ")));
      EXPECT_THAT(search_layer(task, registry, {}, default_goal(*device)).reason, HasSubstr(".scheme allows p"));
    }
  }
  EXPECT_GT(own, 100);
  EXPECT_GT(global, 100);
  EXPECT_GT(none, 0);
}

TEST(Space, HomesHonourTheLayersOwnOutput) {
  int placed = 0, impossible = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    const auto device = test::random_device(random);
    const int op = plan::layers_of(*network, true).front();
    const auto offered = plan::output_homes(*network, *device, op);
    const auto& name = network->operators[op].name;
    for (const auto& m : device->memories) {
      SweepSpec spec;
      spec.choices[name + ".output"] = {m.name};
      const Space space(*network, *device, spec);
      const bool possible = std::any_of(offered.begin(), offered.end(),
                                        [&](const auto& h) { return device->memories[h.memory].name == m.name; });
      EXPECT_EQ(space.infeasible.empty(), possible);
      if (!possible) {
        EXPECT_THAT(space.infeasible, HasSubstr("choices." + name + ".output leaves the output of layer " + name +
                                                " no place to live in; possible "));
        ++impossible;
        continue;
      }
      for (const auto& h : space.output_homes(op)) EXPECT_EQ(device->memories[h.memory].name, m.name);
      ++placed;
    }
  }
  EXPECT_GT(placed, 20);
  EXPECT_GT(impossible, 5);
}

}  // namespace
}  // namespace dse::explore::space_test
