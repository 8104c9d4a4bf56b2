// Every scheme has a name, which the choice knows it by, and offers what its geometry takes.
#include "plan/layer/schemes/scheme.h"

#include <gtest/gtest.h>

#include <set>

#include "plan/choices/choice.h"
#include "plan/network/layers.h"
#include "plan/place/contexts.h"
#include "tests/support/random_cases.h"

namespace dse::plan::scheme_test {
namespace {

TEST(Schemes, AreWhatTheChoiceOffersByName) {
  const auto registry = ChoiceRegistry::standard();
  const auto* choice = registry.find("scheme");
  std::set<std::string> names;
  hw::Device device;
  for (std::size_t s = 0; s < schemes().size(); ++s) {
    const auto& scheme = scheme_of(static_cast<Scheme>(s));
    EXPECT_TRUE(names.insert(scheme.name).second);
    EXPECT_STREQ(name_of(static_cast<Scheme>(s)), scheme.name);
    EXPECT_EQ(choice->parse(device, scheme.name), static_cast<int>(s));
    EXPECT_EQ(choice->text(device, static_cast<int>(s)), scheme.name);
    EXPECT_NE(choice->doc.find(std::string(scheme.name) + ": " + scheme.doc), std::string::npos);
  }
  EXPECT_EQ(choice->parse(device, "rows of nothing"), std::nullopt);
}

/// What a scheme offers, it can make: tiles, sets and steps in every combination give a geometry.
TEST(Schemes, TakeWhatTheyOffer) {
  std::vector<int> made(schemes().size());
  for (std::uint64_t seed = 0; seed < 60 && !HasFailure(); ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    const auto device = test::random_device(random);
    std::vector<LayerChoice> choices(network->operators.size());
    for (auto& c : choices) c.output_memory = device->io;
    for (const int op : layers_of(*network, true)) {
      if (is_whole(*network, network->operators[op])) continue;
      const auto context = context_of(*network, *device, choices, op, true);
      for (std::size_t s = 0; s < schemes().size(); ++s) {
        const auto& scheme = *schemes()[s];
        LayerChoice l = choices[op];
        l.scheme = static_cast<Scheme>(s);
        if (!scheme.suits(context, l)) continue;
        for (const int tile : scheme.tiles(context))
          for (const int filters : scheme.filters(context))
            for (const int channels : scheme.channels(context)) {
              l.tile = tile, l.filters = filters, l.channels = channels;
              const auto g = layer_geometry(context, l);
              if (!g.feasible && g.reason.find("copy engine") != std::string::npos) continue;
              if (!g.feasible && g.reason.find("16-bit") != std::string::npos) continue;
              EXPECT_TRUE(g.feasible) << scheme.name << " " << tile << " " << filters << " " << channels << ": "
                                      << g.reason;
              EXPECT_EQ(g.scheme, &scheme);
              ++made[s];
            }
      }
    }
  }
  for (std::size_t s = 0; s < made.size(); ++s) EXPECT_GT(made[s], 100) << schemes()[s]->name;
}

}  // namespace
}  // namespace dse::plan::scheme_test
