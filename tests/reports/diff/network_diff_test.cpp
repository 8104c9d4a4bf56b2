// What a comparison of two networks tells: of weights, of quantisation, and that its columns add up.
#include "reports/diff/network/network_diff.h"

#include <gmock/gmock.h>

#include "tests/support/random_cases.h"

namespace dse::reports::network_diff_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

void expect_sums(const NetworkDiff& d, const nn::Network& a, const nn::Network& b) {
  Pair macs, weights, activations;
  for (const auto& l : d.layers) macs += l.macs, weights += l.weight_bytes, activations += l.activation_bytes;
  EXPECT_EQ(macs, (Pair{a.macs(), b.macs()}));
  EXPECT_EQ(weights, d.weight_bytes);
  EXPECT_EQ(activations, d.activation_bytes);
}

int first_with_weights(const nn::Network& n) {
  for (std::size_t o = 0; o < n.operators.size(); ++o)
    if (n.operators[o].inputs.size() > 1 && n.operators[o].inputs[1] >= 0 &&
        n.tensors[static_cast<std::size_t>(n.operators[o].inputs[1])].kind == nn::TensorKind::constant)
      return static_cast<int>(o);
  return -1;
}

class NetworkDiffOfRandom : public ::testing::TestWithParam<int> {};

TEST_P(NetworkDiffOfRandom, SeesEveryChange) {
  test::Random random(static_cast<std::uint64_t>(GetParam()));
  const auto network = test::random_network(random);
  const auto& a = *network;
  EXPECT_TRUE(diff_networks("a", a, "b", a).equal());

  auto renamed = a;
  for (auto& op : renamed.operators) op.name = "x" + op.name;
  EXPECT_TRUE(diff_networks("a", a, "b", renamed).equal()) << "names are no difference";

  const int op = first_with_weights(a);
  if (op < 0) return;
  const auto weights = static_cast<std::size_t>(a.operators[static_cast<std::size_t>(op)].inputs[1]);
  auto trained = a;
  trained.tensors[weights].data.at(0) ^= 1;
  auto d = diff_networks("a", a, "b", trained);
  const auto& layer = d.layers.at(static_cast<std::size_t>(op));
  EXPECT_EQ(layer.weights, Weights::values);
  EXPECT_EQ(layer.values_changed, 1);
  EXPECT_EQ(std::count_if(d.layers.begin(), d.layers.end(), [](const auto& l) { return !l.equal(); }), 1);
  expect_sums(d, a, trained);

  auto scaled = a;
  scaled.tensors[weights].quantization.scale.at(0) *= 1.0000002F;  // the same in short words
  d = diff_networks("a", a, "b", scaled);
  ASSERT_FALSE(d.layers.at(static_cast<std::size_t>(op)).differs.empty());
  const auto& words = d.layers.at(static_cast<std::size_t>(op)).differs[0];
  EXPECT_THAT(words.name, HasSubstr("quantisation"));
  EXPECT_NE(words.a, words.b);
  EXPECT_THAT(words.a, Not(HasSubstr("A's values"))) << "the numbers tell";
  EXPECT_FALSE(d.equal());

  const auto other = test::random_network(random);
  d = diff_networks("a", a, "b", *other);
  expect_sums(d, a, *other);
  std::int64_t in_a = 0, in_b = 0;
  for (const auto& l : d.layers) in_a += l.presence != Presence::only_b, in_b += l.presence != Presence::only_a;
  EXPECT_EQ(d.operators, (Pair{in_a, in_b}));
  Document text;
  describe(d, text);
  EXPECT_THAT(text.text(), HasSubstr("total"));
}
INSTANTIATE_TEST_SUITE_P(Random, NetworkDiffOfRandom, ::testing::Range(0, 25));

}  // namespace
}  // namespace dse::reports::network_diff_test
