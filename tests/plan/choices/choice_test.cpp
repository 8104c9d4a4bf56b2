// The registry: its order depends on what choices need alone, and every domain reads only what it declares.
#include "plan/choices/choice.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "base/diagnostics.h"
#include "plan/choices/assignment.h"
#include "plan/network/layers.h"
#include "plan/place/contexts.h"
#include "plan/plan.h"
#include "tests/support/random_cases.h"

namespace dse::plan::choice_test {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> names_of(const ChoiceRegistry& r) {
  std::vector<std::string> out;
  for (const auto& c : r.all()) out.push_back(c.name);
  return out;
}

ChoiceRegistry in_order(std::vector<Choice> choices) {
  ChoiceRegistry r;
  for (auto& c : choices) r.add(std::move(c));
  return r;
}

TEST(Registry, OrderIsThatOfNeedsWhateverTheOrderOfDeclaration) {
  const auto standard = ChoiceRegistry::standard();
  const auto names = names_of(standard);
  EXPECT_THAT(names,
              ::testing::ElementsAre("engine", "operands", "output", "layout", "in_place", "phases", "halo", "strips",
                                     "technique", "weights", "scheme", "channels", "filters", "sums", "tile", "batches",
                                     "batch_buffers", "buffering", "order", "staging", "prefetch"));
  auto choices = standard.all();
  std::reverse(choices.begin(), choices.end());
  EXPECT_EQ(names_of(in_order(choices)), names);
  test::Random random(1);
  for (int i = 0; i < 50; ++i) {
    std::shuffle(choices.begin(), choices.end(), random);
    EXPECT_EQ(names_of(in_order(choices)), names);
  }
}

std::string why(const std::vector<Choice>& choices) {
  try {
    in_order(choices).all();
  } catch (const InvariantError& e) {
    return e.what();
  }
  return "";
}

TEST(Registry, UnknownNeedsAndCirclesAreDefects) {
  auto choices = ChoiceRegistry::standard().all();
  choices[3].needs.push_back("weather");
  EXPECT_THAT(why(choices), HasSubstr("choice " + choices[3].name + " needs weather, which does not exist"));
  choices = ChoiceRegistry::standard().all();
  choices.front().needs.push_back(choices.back().name);
  EXPECT_THAT(why(choices), HasSubstr("circle"));
  choices = ChoiceRegistry::standard().all();
  choices[0].needs = {choices[0].name};
  EXPECT_THAT(why(choices), HasSubstr("circle"));
  ChoiceRegistry r;
  r.add(choices[2]);
  EXPECT_THROW(r.add(choices[2]), InvariantError);
  EXPECT_EQ(r.all().size(), 1u);
  r.add(choices[3]);
  EXPECT_EQ(r.all().size(), 2u) << "later choices are seen";
}

/// Values that need not go together.
LayerChoice anything(test::Random& random, const hw::Device& device) {
  LayerChoice c;
  c.scheme = static_cast<Scheme>(random() % 3), c.tile = test::pick(random, 0, 4);
  c.filters = test::pick(random, -4, 4), c.channels = test::pick(random, -4, 4);
  c.filters = std::max(0, c.filters), c.channels = std::max(0, c.channels);  // all is as likely as not
  c.buffering = static_cast<Buffering>(random() % 9), c.order = static_cast<Order>(random() % 3);
  c.operands = static_cast<Operands>(random() % 2), c.staging = static_cast<Staging>(random() % 2);
  const int memories = static_cast<int>(device.memories.size());
  c.weights_memory = test::pick(random, -1, memories - 1);
  c.output_memory = test::pick(random, 0, memories - 1);
  c.output_layout = static_cast<TensorLayout>(random() % 2);
  c.phases = static_cast<Phases>(random() % 3), c.halo = static_cast<shared::Halo>(random() % 2);
  return c;
}

/// Whatever the choices that a domain does not declare are, it is the same.
TEST(Registry, DomainsReadOnlyWhatTheyNeed) {
  const auto registry = ChoiceRegistry::standard();
  std::set<std::string> sensitive;  // choices whose domain depended on others at all
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    auto device = test::random_device(random);
    if (seed % 2) device = test::with_techniques(*device, random);
    if (seed % 3 == 0) device = test::with_batches(*device, random);
    const auto a = test::random_choices(random, *network, *device, seed % 2);
    const auto b = test::random_choices(random, *network, *device, seed % 3);
    for (const int op : layers_of(*network, true)) {
      const auto context = context_of(*network, *device, a, op, true);
      for (const auto& c : registry.all()) {
        LayerChoice mixed = b[op];  // everything else is another plan's
        for (const auto& n : c.needs) registry.find(n)->set(mixed, registry.find(n)->get(a[op]));
        EXPECT_EQ(c.domain(context, a[op]), c.domain(context, mixed)) << c.name;
        LayerChoice wild = anything(random, *device);  // nor what nobody would ever choose
        for (const auto& n : c.needs) registry.find(n)->set(wild, registry.find(n)->get(a[op]));
        EXPECT_EQ(c.domain(context, a[op]), c.domain(context, wild)) << c.name;
        ++compared;
        if (c.domain(context, a[op]) != c.domain(context, b[op])) sensitive.insert(c.name);
      }
    }
  }
  EXPECT_GT(compared, 2000);
  EXPECT_GT(sensitive.size(), 5u) << "the choices drawn do not matter to the domains";
}

/// Needs are not declared in vain: leaving one out is noticed by the test above for most.
TEST(Registry, EveryNeedIsRead) {
  const auto registry = ChoiceRegistry::standard();
  std::set<std::pair<std::string, std::string>> read, declared;
  for (const auto& c : registry.all())
    for (const auto& n : c.needs)
      // One engine in every domain of this version; and where a processor reaches the constants, a copy engine does.
      if (n != "engine" && !(c.name == "staging" && n == "operands")) declared.emplace(c.name, n);
  for (std::uint64_t seed = 0; seed < 500 && read.size() < declared.size(); ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    auto device = test::random_device(random);
    if (seed % 2) device = test::with_techniques(*device, random);
    if (seed % 3 == 0) device = test::with_batches(*device, random);
    const auto a = test::random_choices(random, *network, *device, seed % 2);
    for (const int op : layers_of(*network, true)) {
      auto context = context_of(*network, *device, a, op, true);
      const LayerChoice others = anything(random, *device);
      for (auto& home : context.inputs) home.memory = others.output_memory;
      for (const auto& [name, needed] : declared) {
        const auto& c = *registry.find(name);
        const auto& other = *registry.find(needed);
        auto values = other.domain(context, others);
        if (needed == "operands") values = {0, 1};
        for (const int v : values) {
          LayerChoice changed = others;
          other.set(changed, v);
          if (c.domain(context, changed) != c.domain(context, others)) read.emplace(name, needed);
        }
      }
    }
  }
  EXPECT_EQ(read, declared);
}

TEST(Registry, NetworkDecisionsDefaultToWhatTheSearchDoes) {
  const nn::Network none;
  for (const auto& d : ChoiceRegistry::of_network()) {
    EXPECT_EQ(d.get(none, NetworkChoice{}), d.values.front()) << d.name;
    NetworkChoice c;
    EXPECT_EQ(d.set(none, c, d.values.back()), "") << d.name;
    EXPECT_EQ(d.get(none, c), d.values.back());
    EXPECT_EQ(d.values.size(), d.name == "input" ? 3u : d.name == "order" ? 1u : 2u);
  }
}

/// Every value that a random plan takes is listed, and nothing that no combination offers.
TEST(ChoiceList, IsTheUnionOverAllCombinations) {
  int listed = 0, taken = 0;
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    const auto device = test::random_device(random);
    const auto list = list_choices(*network, *device);
    std::map<std::string, std::set<std::string>> seen;
    std::map<std::string, std::size_t> times;
    for (int i = 0; i < 400; ++i) {
      const auto a = to_assignment(*network, *device, test::random_choices(random, *network, *device));
      for (const auto& [name, value] : a) seen[name].insert(value), ++times[name];
    }
    Diagnostics diags;
    const auto defaults = from_assignment(*network, *device, {}, ChoiceRegistry::standard(), "", diags);
    const auto plain = to_assignment(*network, *device, *defaults);
    for (const auto& c : list) {
      EXPECT_GT(c.values.size(), 1u) << c.name;
      EXPECT_FALSE(c.doc.empty());
      EXPECT_THAT(c.values, ::testing::IsSupersetOf(seen[c.name])) << c.name;
      if (const auto it = plain.find(c.name); it != plain.end()) {
        EXPECT_EQ(c.fallback, it->second) << c.name;
      }
      if (c.name.rfind("network.", 0) == 0) continue;
      // What a layer search leaves alone is not drawn, and its default is not said.
      if (!ChoiceRegistry::standard().find(c.name.substr(c.name.rfind('.') + 1))->searched) {
        EXPECT_EQ(times[c.name], 0u) << c.name;
        seen.erase(c.name);
        continue;
      }
      if (!c.conditional) {
        EXPECT_EQ(times[c.name], 400u) << c.name;
      }
      listed += static_cast<int>(c.values.size()), taken += static_cast<int>(seen[c.name].size());
      seen.erase(c.name);
    }
    for (const auto& [name, values] : seen) EXPECT_TRUE(values.empty()) << name << " is not listed";
  }
  EXPECT_GT(taken, listed * 3 / 4) << "what is listed is also met";
}

}  // namespace
}  // namespace dse::plan::choice_test
