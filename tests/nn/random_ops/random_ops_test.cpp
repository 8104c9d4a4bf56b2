// Every kernel against the oracle, byte for byte, on operators drawn at random; and any way of cutting one into tiles
// gives the bytes of the whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "one_operator.h"
#include "tests/support/slow.h"

namespace dse::nn::random_ops::random_ops_test {
namespace {

constexpr std::uint64_t draws = dse::test::of_cases(2000);

struct KindAndMode {
  std::string kind;
  Mode mode;
};

std::string name_of(Mode m) {
  constexpr const char* names[] = {"tflite", "single", "onnx", "qformat"};
  return names[static_cast<int>(m)];
}

void PrintTo(const KindAndMode& k, std::ostream* out) { *out << k.kind << " " << name_of(k.mode); }

std::vector<KindAndMode> all() {
  std::vector<KindAndMode> r;
  for (const Mode m : {Mode::tflite, Mode::single, Mode::onnx, Mode::qformat})
    for (const auto& kind : kinds_of(m)) r.push_back({kind, m});
  return r;
}

/// What the oracle makes of the case, one entry per step and output. Empty when a sum leaves the accumulator: such
/// operators have no defined result.
std::vector<std::vector<std::uint8_t>> expected(const Case& c, int steps) {
  std::vector<const Tensor*> inputs;
  for (const auto& a : c.in) inputs.push_back(a.absent ? nullptr : &a.tensor);
  std::vector<std::vector<std::uint8_t>> r;
  oracle::State state;
  for (int step = 0; step < steps; ++step) {
    auto outputs = c.out;
    try {
      oracle::run(c.kind, c.o, inputs, outputs, &state);
    } catch (const std::overflow_error&) {
      return {};
    }
    for (const auto& t : outputs) r.push_back(t.bytes());
  }
  return r;
}

bool stateful(const std::string& kind) { return kind == "SVDF" || kind == "UNIDIRECTIONAL_SEQUENCE_LSTM"; }

std::string difference(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  if (a.size() != b.size()) return "sizes " + std::to_string(a.size()) + " and " + std::to_string(b.size());
  const auto at = std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin();
  return "byte " + std::to_string(at) + " is " + std::to_string(a[static_cast<std::size_t>(at)]) +
         ", the oracle says " + std::to_string(b[static_cast<std::size_t>(at)]);
}

class RandomOperators : public testing::TestWithParam<KindAndMode> {};

TEST_P(RandomOperators, EqualTheOracleWholeAndInTiles) {
  const auto& [kind, mode] = GetParam();
  const int steps = stateful(kind) ? 3 : 1;
  std::uint64_t compared = 0, seed = 0;
  std::map<std::string, int> refused;
  for (; compared < draws && seed < draws + draws / 4; ++seed) {
    const Case c = draw(kind, mode, seed);
    const auto want = expected(c, steps);
    if (want.empty()) continue;
    Diagnostics diags;
    const NetworkPtr n = finish_network(network_of(c), diags, "drawn");
    if (!n) {
      ++refused[diags.text()];
      continue;
    }
    std::vector<std::vector<std::uint8_t>> inputs;
    for (const auto& a : c.in)
      if (!a.constant && !a.variable) inputs.push_back(a.tensor.bytes());
    TensorBytes state = initial_state(*n), bytes;
    for (int step = 0; step < steps; ++step) {
      bytes = interpret(*n, inputs, state);
      for (std::size_t o = 0; o < n->outputs.size(); ++o) {
        const auto& got = bytes[static_cast<std::size_t>(n->outputs[o])];
        const auto& right = want[static_cast<std::size_t>(step) * n->outputs.size() + o];
        ASSERT_TRUE(got == right) << "seed " << seed << " step " << step << " output " << o << ": "
                                  << difference(got, right) << "\n"
                                  << c.describe();
      }
    }
    ++compared;
    if (steps > 1 || seed % 4 != 0) continue;
    for (const std::uint8_t poison : {0x5a, 0xa5}) {  // reads outside the boxes would see two different poisons
      std::string violations;
      const auto tiled = run_in_tiles(*n, bytes, static_cast<unsigned>(seed), poison, violations);
      ASSERT_EQ(violations, "") << "seed " << seed << "\n" << c.describe();
      for (std::size_t o = 0; o < tiled.size(); ++o)
        ASSERT_TRUE(tiled[o] == want[o]) << "in tiles, seed " << seed << " output " << o << ": "
                                         << difference(tiled[o], want[o]) << "\n"
                                         << c.describe();
    }
  }
  EXPECT_EQ(compared, draws);
  for (const auto& [why, count] : refused) ADD_FAILURE() << count << " refused: " << why;
}

INSTANTIATE_TEST_SUITE_P(All, RandomOperators, testing::ValuesIn(all()),
                         [](const auto& info) { return info.param.kind + "_" + name_of(info.param.mode); });

// What is drawn is fine enough to see which rounding was used: the same operators in two modes differ.
TEST(Draws, TellRoundingModesApart) {
  for (const char* kind : {"CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV", "BATCH_MATMUL", "ADD",
                           "SUB", "MUL", "MEAN", "SUM", "RELU", "LEAKY_RELU", "PRELU", "ABS", "SQUARED_DIFFERENCE",
                           "QUANTIZE", "SVDF", "UNIDIRECTIONAL_SEQUENCE_LSTM", "RESIZE_BILINEAR"}) {
    int different = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
      Case c = draw(kind, Mode::tflite, seed);
      const auto twice = expected(c, 1);
      c.o.mode = Mode::single;
      const auto once = expected(c, 1);
      different += !once.empty() && !twice.empty() && once != twice;
    }
    EXPECT_GE(different, 5) << kind;
  }
}

}  // namespace
}  // namespace dse::nn::random_ops::random_ops_test
