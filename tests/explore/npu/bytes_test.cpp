// What command streams compute: the interpreter's bytes, on operators and networks drawn at random, with blocks drawn
// at random, on every accelerator and memory mode, and on all shared networks.
#include <gtest/gtest.h>

#include <map>

#include "explore/npu/simulated.h"
#include "models/nn/passes/passes.h"
#include "plan/npu/block_choices.h"
#include "plan/npu/schedule/live.h"
#include "plan/npu/supported.h"
#include "tests/explore/npu/networks.h"
#include "tests/nn/golden/golden.h"
#include "tests/nn/random_ops/one_operator.h"
#include "tests/support/random_cases.h"
#include "tests/support/random_state.h"
#include "tests/support/slow.h"
#include "tests/support/streaming/wake_word.h"

namespace dse::explore::npu::bytes_test {
namespace {

using namespace plan::npu;
using dse::test::Random;
using hw::ethos_u::accelerators;
using hw::ethos_u::MemoryMode;

/// The schedule with other blocks, any that fit, for some of its operations.
Compiled with_other_blocks(const Compiled& c, Random& random) {
  Schedule s = c.schedule;
  for (int i = 0; i < c.costs->count(); ++i) {
    if (random() % 2 || c.costs->op(i).function == Function::copy) continue;
    OperationPlan& plan = s.operations[static_cast<std::size_t>(i)];
    const auto blocks = quick_blocks(*c.costs, i, plan, 1 << 20);
    if (blocks.empty()) continue;
    plan.block = blocks[random() % blocks.size()];
    code_weights(*c.costs, i, plan);
  }
  measure_usage(*c.costs, s);
  return with_schedule(c, std::move(s), c.decided);
}

Compiled drawn(const nn::NetworkPtr& n, Random& random) {
  const auto& a = accelerators()[random() % accelerators().size()];
  const auto mode = static_cast<MemoryMode>(random() % 3);
  return compile(n, test::npu(std::string(a.name), mode), random() % 2 ? Optimise::size : Optimise::performance);
}

std::string difference(const Compiled& c, unsigned seed) {
  const Comparison found = compare(c, seed);
  if (!found.error.empty()) return found.error;
  return found.equal() ? "" : "output " + std::to_string(found.differing[0]) + " differs";
}

class NpuOperators : public testing::TestWithParam<std::string> {};

TEST_P(NpuOperators, EqualTheInterpreter) {
  using namespace nn::random_ops;
  Random random(11);
  const int wanted = dse::test::of_cases(150);
  int compared = 0;
  std::map<std::string, int> reasons;
  for (std::uint64_t seed = 0; compared < wanted && seed < 60000; ++seed) {
    const nn::random_ops::Case c = draw(GetParam(), Mode::tflite, seed);
    Diagnostics d;
    const auto n = nn::finish_network(network_of(c), d, "drawn");
    if (!n || n->operators.empty()) continue;
    if (const auto why = why_not(*n, n->operators[0]); !why.empty()) {
      ++reasons[why.substr(0, 24)];
      continue;
    }
    Compiled compiled = drawn(n, random);
    if (random() % 2) compiled = with_other_blocks(compiled, random);
    ASSERT_EQ(difference(compiled, static_cast<unsigned>(seed)), "")
        << c.describe() << " on " << compiled.npu.acc().name;
    ++compared;
  }
  RecordProperty("compared", compared);
  EXPECT_GE(compared, wanted / 4) << "few that the NPU has";
}

/// Rows of a second operand that kernels of the stream read, where either operand may be stretched.
TEST(NpuSecondOperand, IsReadInWhole) {
  using namespace hw::ethos_u;
  Random random(3);
  int stretched = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    Diagnostics d;
    const auto n = nn::finish_network(
        nn::random_ops::network_of(nn::random_ops::draw("ADD", nn::random_ops::Mode::tflite, seed)), d, "drawn");
    if (!n || n->operators.empty() || !why_not(*n, n->operators[0]).empty()) continue;
    const Compiled c = drawn(n, random);
    const Operation& o = c.costs->op(0);
    if (o.ifm2 < 0 || o.scalar) continue;
    std::int64_t read = 0;
    for_each_operation(c.streams[0].words, [&](const StreamCommand& command, const Registers& r) {
      if (command.op == OpCode::kernel && c.streams[0].kernels[command.value].operation == 0)
        read += std::int64_t{r[Register::ifm2_h]} * r[Register::ifm2_w] * r[Register::ifm2_c];
      return true;
    });
    EXPECT_GE(read, o.ifm2_shape.elements()) << seed;
    stretched += o.ifm_shape.h == 1 && o.ifm2_shape.h > 1;
  }
  EXPECT_GT(stretched, 0);
}

INSTANTIATE_TEST_SUITE_P(Kinds, NpuOperators,
                         testing::Values("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV",
                                         "AVERAGE_POOL_2D", "MAX_POOL_2D", "ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM",
                                         "ABS", "LEAKY_RELU", "LOGISTIC", "TANH", "HARD_SWISH", "RELU", "RELU6",
                                         "SOFTMAX", "MEAN", "RESHAPE", "CONCATENATION", "SPLIT", "QUANTIZE",
                                         "RESIZE_NEAREST_NEIGHBOR", "RESIZE_BILINEAR"),
                         [](const auto& p) { return p.param; });

TEST(NpuNetworks, EqualTheInterpreterWithAnyBlocks) {
  Random random(5);
  for (int i = 0; i < dse::test::of_cases(400); ++i) {
    const auto n = dse::test::random_network(random);
    Compiled c = drawn(n, random);
    if (random() % 2) c = with_other_blocks(c, random);
    ASSERT_EQ(difference(c, static_cast<unsigned>(i)), "") << "network " << i << " on " << c.npu.acc().name;
  }
}

/// Any tensors as outputs besides, however many operators read them: they are there when all has run.
TEST(NpuNetworks, OutputsThatAreReadInsideStay) {
  Random random(6);
  int inside = 0;
  for (int i = 0; i < dse::test::of_cases(300); ++i) {
    nn::Network n = nn::unfinished(*dse::test::random_network(random));
    for (std::size_t t = 0; t < n.tensors.size(); ++t)
      if (n.tensors[t].kind == nn::TensorKind::activation && random() % 3 == 0 &&
          std::find(n.outputs.begin(), n.outputs.end(), static_cast<int>(t)) == n.outputs.end())
        n.outputs.push_back(static_cast<int>(t)), ++inside;
    Diagnostics d;
    const auto network = nn::finish_network(std::move(n), d, "drawn");
    ASSERT_TRUE(network) << d.text();
    Compiled c = drawn(network, random);
    if (random() % 2) c = with_other_blocks(c, random);
    ASSERT_EQ(difference(c, static_cast<unsigned>(i)), "") << "network " << i << " on " << c.npu.acc().name;
  }
  EXPECT_GT(inside, 100);
}

/// Variables that are read before or after they are written, some steps one after the other.
TEST(NpuNetworks, ThatRememberEqualTheInterpreterStepByStep) {
  Random random(8);
  for (int i = 0; i < dse::test::of_cases(80); ++i) {
    const auto n = i % 4 ? dse::test::random_wake_word_network(random, 16) : dse::test::random_stateful_network(random);
    Compiled c = drawn(n, random);
    if (random() % 2) c = with_other_blocks(c, random);
    ASSERT_EQ(difference(c, static_cast<unsigned>(i)), "") << "network " << i << " on " << c.npu.acc().name;
  }
}

class NpuU85 : public testing::TestWithParam<int> {
 protected:
  /// On the accelerator of so many multipliers.
  Compiled drawn_here(const nn::NetworkPtr& n, Random& random) const {
    const Compiled c =
        compile(n, test::npu("ethos-u85-" + std::to_string(GetParam()), static_cast<MemoryMode>(random() % 3)),
                random() % 2 ? Optimise::size : Optimise::performance);
    return random() % 2 ? with_other_blocks(c, random) : c;
  }
};

TEST_P(NpuU85, OperatorsEqualTheInterpreter) {
  using namespace nn::random_ops;
  Random random(static_cast<unsigned>(GetParam()));
  for (const char* kind : {"CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV", "AVERAGE_POOL_2D",
                           "MAX_POOL_2D", "ADD", "MUL", "LOGISTIC", "SOFTMAX", "MEAN", "RESIZE_BILINEAR"}) {
    int compared = 0;
    const int wanted = dse::test::of_cases(80);
    for (std::uint64_t seed = 0; compared < wanted && seed < 60000; ++seed) {
      const nn::random_ops::Case c = draw(kind, Mode::tflite, seed);
      Diagnostics d;
      const auto n = nn::finish_network(network_of(c), d, "drawn");
      if (!n || n->operators.empty() || !why_not(*n, n->operators[0]).empty()) continue;
      ASSERT_EQ(difference(drawn_here(n, random), static_cast<unsigned>(seed)), "") << c.describe();
      ++compared;
    }
    EXPECT_GE(compared, wanted / 4) << kind;
  }
}

TEST_P(NpuU85, NetworksEqualTheInterpreter) {
  Random random(static_cast<unsigned>(GetParam()) + 1);
  for (int i = 0; i < dse::test::of_cases(150); ++i)
    ASSERT_EQ(difference(drawn_here(dse::test::random_network(random), random), static_cast<unsigned>(i)), "") << i;
  EXPECT_EQ(difference(drawn_here(test::thesis_network(24, 40), random), 1), "");
}

INSTANTIATE_TEST_SUITE_P(Multipliers, NpuU85, testing::Values(128, 256, 512, 1024, 2048));

TEST(NpuNetworksGolden, EveryNetworkInEveryModeEqualsTheInterpreter) {
  const auto folder = nn::test::shared() / "models/tflite";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no golden files";
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    Diagnostics d;
    const auto n = nn::load_network(file.path().string(), d);
    ASSERT_TRUE(n) << d.text();
    ++files;
    for (const char* a : {"ethos-u55-32", "ethos-u55-128", "ethos-u65-512", "ethos-u85-256", "ethos-u85-2048"}) {
      if (dse::test::of_cases(4) == 1 && a != std::string("ethos-u65-512")) continue;  // with sanitizers
      for (const auto mode : {MemoryMode::shared_sram, MemoryMode::dedicated_sram})
        for (const auto o : {Optimise::performance, Optimise::size})
          EXPECT_EQ(difference(compile(n, test::npu(a, mode), o), 1), "")
              << file.path().filename() << " " << a << " " << static_cast<int>(mode);
    }
  }
  EXPECT_EQ(files, 10);
}

TEST(NpuFallback, SwishRunsInOneInvocation) {
  const Compiled c = compile(test::with_between(nn::OperatorKind::logistic, true), test::npu(), Optimise::performance);
  EXPECT_EQ(c.streams.size(), 1u);
  EXPECT_TRUE(c.graph->fallbacks.empty());
  EXPECT_EQ(difference(c, 1), "");
  const Compiled hard =
      compile(test::with_between(nn::OperatorKind::hard_swish, false), test::npu(), Optimise::performance);
  EXPECT_EQ(hard.streams.size(), 1u);
  EXPECT_EQ(difference(hard, 1), "");
}

TEST(NpuFallback, EluIsTheCpusBetweenTwoInvocations) {
  const Compiled c = compile(test::with_between(nn::OperatorKind::elu, false), test::npu(), Optimise::performance);
  EXPECT_EQ(c.streams.size(), 2u);
  ASSERT_EQ(c.graph->fallbacks.size(), 1u);
  EXPECT_EQ(c.graph->fallbacks[0].why, "the NPU has no ELU");
  EXPECT_EQ(difference(c, 1), "");
}

}  // namespace
}  // namespace dse::explore::npu::bytes_test
