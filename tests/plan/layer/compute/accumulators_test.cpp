// Engines with narrow accumulators take the layers whose sums they hold.
#include "plan/layer/compute/accumulators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/nn/kernels/dse_technique.h"
#include "plan/place/contexts.h"
#include "tests/plan/segment/branched_networks.h"
#include "tests/support/random_cases.h"

namespace dse::plan::accumulators_test {
namespace {

using testing::HasSubstr;

TEST(Accumulators, HoldWhatIsProvenAndNothingElse) {
  test::BranchedNetwork net("one");
  const auto n = net.build({net.conv(net.input(8, 8, 4), 16, 3)});
  const int bits = n->operators[0].sum_bits;
  ASSERT_GT(bits, 16) << "36 products of 8 bits";
  ASSERT_LE(bits, 23);
  test::Random random(3);
  hw::Device d = *test::random_device(random);
  auto& engine = d.engines[static_cast<std::size_t>(d.compute_engine())];
  std::vector<LayerChoice> choices(1);
  choices[0].output_memory = d.io;
  const auto geometry = [&](int have, Phases phases = Phases::no) {
    engine.accumulator_bits = have;
    choices[0].phases = phases;
    return layer_geometry(context_of(*n, d, choices, 0, true), choices[0]);
  };
  EXPECT_TRUE(geometry(0).feasible) << "as wide as they need";
  EXPECT_TRUE(geometry(bits).feasible);
  EXPECT_FALSE(geometry(bits - 1).feasible);
  EXPECT_THAT(geometry(bits - 1).reason, HasSubstr("its sums may need " + std::to_string(bits) + " bits, and " +
                                                   engine.name + " accumulates in " + std::to_string(bits - 1)));
  EXPECT_THAT(geometry(bits - 1, Phases::yes).reason, HasSubstr("its sums may need"));
  engine.accumulator_bits = bits + 5;
  choices[0].phases = Phases::no, choices[0].technique = DSE_WINOGRAD;
  EXPECT_THAT(why_no_accumulators(context_of(*n, d, choices, 0, true), choices[0]),
              HasSubstr("need " + std::to_string(bits + 6)));
  engine.accumulator_bits = bits + 6;
  EXPECT_EQ(why_no_accumulators(context_of(*n, d, choices, 0, true), choices[0]), "");
}

}  // namespace
}  // namespace dse::plan::accumulators_test
