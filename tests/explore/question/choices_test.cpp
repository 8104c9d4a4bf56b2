// Whatever a sweep fixes, of all layers or of one: what is found keeps it, and is nowhere better than what is found
// without.
#include <gmock/gmock.h>

#include <algorithm>

#include "explore/compose/compose.h"
#include "explore/explore.h"
#include "explore/question/allowed.h"
#include "explore/space/space.h"
#include "plan/choices/assignment.h"
#include "plan/network/layers.h"
#include "tests/support/inputs.h"
#include "tests/support/random_cases.h"
#include "tests/support/slow.h"

namespace dse::explore::choices_test {
namespace {

using Choices = std::map<std::string, std::vector<std::string>>;

const plan::ChoiceRegistry& registry() {
  static const auto r = plan::ChoiceRegistry::standard();
  return r;
}

CompositionFront found(const Case& c, const Choices& choices, std::string* why = nullptr) {
  SweepSpec spec;
  spec.choices = choices;
  const Space space(*c.network, *c.device, spec);
  const auto goal = default_goal(*c.device);
  std::vector<LayerFront> layers;
  for (const auto& task : space.tasks) layers.push_back(search_layer(task, registry(), {}, goal));
  auto front = compose(space, layers, goal);
  if (why) *why = front.infeasible_reason;
  return front;
}

/// A few choices with a few of their values, of all layers or of one.
Choices some_choices(test::Random& random, const Case& c) {
  Choices out;
  auto list = plan::list_choices(*c.network, *c.device);
  std::erase_if(list, [](const auto& one) {  // sweeps fix what a search of layers decides
    const auto* choice = registry().find(split_choice(one.name).second);
    return choice && !choice->searched;
  });
  const int n = test::pick(random, 1, 3);
  for (int i = 0; i < n; ++i) {
    const auto& one = list[random() % list.size()];
    if (one.name.rfind("network.", 0) == 0) continue;
    auto values = one.values;
    std::shuffle(values.begin(), values.end(), random);
    values.resize(static_cast<std::size_t>(test::pick(random, 1, static_cast<int>(values.size()) - 1)));
    out[random() % 3 ? one.name : split_choice(one.name).second] = values;
  }
  return out;
}

/// By the names that the plan goes by: a choice that exists has an allowed value; one of a layer's own always has.
void expect_kept(const Case& c, const Choices& choices, const std::vector<plan::LayerChoice>& layers) {
  const auto assignment = plan::to_assignment(*c.network, *c.device, layers);
  for (const int op : plan::layers_of(*c.network, true)) {
    const auto& layer = c.network->operators[op].name;
    for (const auto& choice : registry().all()) {
      const auto own = choices.find(layer + "." + choice.name), all = choices.find(choice.name);
      if (own == choices.end() && all == choices.end()) continue;
      const auto& allowed = own != choices.end() ? own->second : all->second;
      const auto it = assignment.find(layer + "." + choice.name);
      if (it == assignment.end() && own == choices.end()) continue;  // nothing to choose there
      const auto text = it != assignment.end() ? it->second : choice.text(*c.device, choice.get(layers[op]));
      EXPECT_THAT(allowed, ::testing::Contains(text)) << layer << "." << choice.name;
    }
  }
  EXPECT_EQ(broken_choice(choices, *c.network, *c.device, layers, true, registry()), "");
}

Case random_case(test::Random& random) {
  Case c;
  do {
    c.network = test::random_network(random);
  } while (plan::layers_of(*c.network, true).size() > 4);
  c.device = test::random_device(random);
  c.device_label = "random";
  return c;
}

TEST(Choices, AreNeverViolatedAndNeverMakeAFrontBetter) {
  int points = 0, infeasible = 0, worse = 0;
  for (int seed = 0; seed < test::of_share(25); ++seed) {
    test::Random random(static_cast<std::uint64_t>(seed));
    const auto c = random_case(random);
    const auto free = found(c, {{"prefetch", {"no", "yes"}}});
    ASSERT_TRUE(free.exact);
    for (int i = 0; i < 4; ++i) {
      const auto choices = some_choices(random, c);
      std::string why;
      const auto bound = found(c, choices, &why);
      ASSERT_TRUE(bound.exact);
      EXPECT_EQ(bound.points.empty(), !why.empty()) << why;
      infeasible += bound.points.empty();
      for (const auto& p : bound.points) {
        expect_kept(c, choices, p.choices);
        EXPECT_TRUE(std::any_of(free.points.begin(), free.points.end(), [&](const Composition& f) {
          return f.memory <= p.memory && f.costs[kTicks] <= p.costs[kTicks];
        }));
        worse += std::none_of(free.points.begin(), free.points.end(), [&](const Composition& f) {
          return f.memory == p.memory && f.costs[kTicks] == p.costs[kTicks];
        });
        ++points;
      }
    }
  }
  std::printf("%d points kept their choices, %d of them off the free front; %d fronts without any\n", points, worse,
              infeasible);
  EXPECT_GT(points, test::of_share(300));
  EXPECT_GT(worse, test::of_share(50)) << "the choices cost nothing";
}

TEST(Choices, ReportedPointsKeepThemToo) {
  int explored = 0;
  for (std::uint64_t seed = 100; seed < 106; ++seed) {
    test::Random random(seed);
    auto c = random_case(random);
    c.axes = {{"memories.l1.size", "64 KiB"}};
    SweepSpec spec;
    spec.choices = some_choices(random, c);
    ExploreOptions options;
    options.verify = false;
    Diagnostics diags;
    const auto sweep = explore(spec, {c}, options, diags);
    ASSERT_FALSE(diags.has_errors()) << diags.text();
    for (const auto& p : sweep.fronts[0].points) {
      if (p.origin != "front") continue;
      ++explored;
      auto names = p.assignment;
      EXPECT_EQ(names["device.memories.l1.size"], "64 KiB");
      names.erase("device.memories.l1.size");
      Diagnostics own;
      const auto decisions = plan::decisions_from(*c.network, *c.device, names, registry(), "", own);
      ASSERT_TRUE(decisions) << own.text();
      expect_kept(c, spec.choices, decisions->layers);
    }
  }
  EXPECT_GT(explored, 10);
}

TEST(Choices, AFixedInputHoldsForEveryPlanOfTheSweep) {
  SweepSpec spec;
  spec.choices = {{"network.input", {"streamed"}}, {"tile", {"all"}}};
  ExploreOptions options;  // with real bytes
  int front = 0, given = 0;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    test::Random random(seed);
    Case c;
    c.network = seed == 0 ? test::late_input() : test::random_network(random);
    c.device = test::with_camera(*test::random_device(random)), c.device_label = "camera";
    c.whole = whole_of(spec);
    Diagnostics diags;
    const auto sweep = explore(spec, {c}, options, diags);
    ASSERT_FALSE(diags.has_errors()) << diags.text();
    for (const auto* list : {&sweep.fronts[0].points, &sweep.fronts[0].marked})
      for (const auto& p : *list) {
        EXPECT_FALSE(p.run.failure) << p.run.failure->what;
        EXPECT_EQ(p.assignment.at("network.input"), "streamed") << p.origin;
        ++(p.origin == "front" ? front : given);
      }
  }
  EXPECT_GT(front, 3);
  EXPECT_GT(given, 3);

  test::Random random(7);
  Case blind = random_case(random);
  blind.whole = whole_of(spec);
  Diagnostics diags;
  const auto sweep = explore(spec, {blind}, options, diags);
  EXPECT_TRUE(sweep.fronts[0].points.empty());
  EXPECT_THAT(sweep.fronts[0].infeasible_reason, ::testing::HasSubstr("has no memory that inputs come from"));
}

TEST(Choices, ABrokenOneIsNamed) {
  test::Random random(3);
  const auto c = random_case(random);
  const auto free = found(c, {});
  ASSERT_FALSE(free.points.empty());
  const auto& layers = free.points.front().choices;
  const auto assignment = plan::to_assignment(*c.network, *c.device, layers);
  int broken = 0;
  for (const auto& [name, value] : assignment) {
    EXPECT_EQ(broken_choice({{name, {value}}}, *c.network, *c.device, layers, true, registry()), "");
    const auto list = plan::list_choices(*c.network, *c.device);
    const auto it = std::find_if(list.begin(), list.end(), [&, n = name](const auto& i) { return i.name == n; });
    for (const auto& other : it->values) {
      if (other == value) continue;
      EXPECT_EQ(broken_choice({{name, {other}}}, *c.network, *c.device, layers, true, registry()),
                name + " is " + value + ", not " + other);
      ++broken;
    }
  }
  EXPECT_GT(broken, 5);
}

}  // namespace
}  // namespace dse::explore::choices_test
