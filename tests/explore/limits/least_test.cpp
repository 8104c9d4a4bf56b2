// "Infeasible: the least is x" is confirmed by a run with x, and no run with less succeeds.
#include "explore/front/least.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/explore/limits/questions.h"
#include "tests/support/slow.h"

namespace dse::explore::test_support::least_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Least, IsConfirmedByARunAndByNoneWithLess) {
  Tally tally;
  const int questions = test::of_share(20);
  for (int seed = 1; seed <= questions; ++seed) {
    SCOPED_TRACE(seed);
    check_question(random_question(seed), tally);
  }
  std::printf("%d questions: %d infeasible, %d by one limit alone, %d only together, %d leasts found, %d by phases\n",
              questions, tally.infeasible, tally.alone, tally.together, tally.found, tally.outside);
  EXPECT_GE(tally.infeasible, test::of_share(6));
  EXPECT_GE(tally.alone, test::of_share(5));
  EXPECT_GE(tally.together, test::of_share(1));
}

TEST(Least, APlanByRuleIsAnAnswer) {
  // The only plan with the least memory is one by phases, and a plan by rule is at least as good.
  const auto question = random_question(157);
  for (const auto& p : ask(question.c, {}, 0).marked) {
    if (p.run.failure) continue;
    const auto front =
        ask(question.c, {{"memory", static_cast<double>(p.memory_bytes), {}}, {"latency", p.latency_us, {}}});
    EXPECT_FALSE(front.points.empty()) << p.origin << ": " << front.infeasible_reason;
  }
  Tally tally;
  check_question(question, tally);
}

TEST(Least, WeightsBeforeAnythingElse) {
  Diagnostics d;
  auto question = random_question(3);
  auto device = *hw::read_device(DSE_SOURCE_DIR "/configs/devices/cortex-m7-class.yaml", {}, d);
  auto& flash = device.memories[static_cast<std::size_t>(device.constants)];
  flash.size = flash.reserved + 16;
  for (auto& m : device.memories)
    if (m.on_chip && m.name != flash.name) m.size = m.reserved + 64;  // activations do not fit either
  question.c.device = std::make_shared<const hw::Device>(device);
  const auto front = ask(question.c, {});
  EXPECT_TRUE(front.points.empty());
  EXPECT_THAT(front.infeasible_reason, AllOf(HasSubstr(flash.name + " is "),
                                             HasSubstr("bytes short: the weights need "), HasSubstr("of 16 free")));
}

TEST(Least, SaysWhichLimitIsMissed) {
  Least memory{"memory", 16384, {14028, "a", "by phases", true}, {20000, "b", "", true}};
  Least latency{"latency", 54300, {53900, "c", "", true}, {55000.1234567891, "d", "", false}};
  EXPECT_EQ(why_infeasible({memory, latency}, "sram is short: layer x"),
            "no plan meets all limits together, though each can be met by itself; the least memory that leaves the "
            "others met is 20000 bytes, not 16384 bytes; the least found latency that leaves the others met is "
            "55.00012346 ms, not 54.3 ms");
  memory.alone.value = 28700;
  EXPECT_EQ(why_infeasible({memory, latency}, "no combination"),
            "no plan meets memory <= 16384 bytes: the least is 28700 bytes (by phases); latency <= 54.3 ms "
            "can be met by itself");
  latency.alone = {60000, "c", "", false};
  EXPECT_EQ(why_infeasible({memory, latency}, "sram is 1 KiB short: layer x needs 2"),
            "no plan meets memory <= 16384 bytes: the least is 28700 bytes (by phases), nor latency <= 54.3 ms: "
            "the least found is 60 ms; layer by layer: sram is 1 KiB short: layer x needs 2");
  memory.alone.value = -1;
  EXPECT_EQ(why_infeasible({memory, latency}, "sram is short"), "sram is short");
}

}  // namespace
}  // namespace dse::explore::test_support::least_test
