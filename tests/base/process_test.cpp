// Other programs are run, and ended when they take too long.
#include "base/system/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dse::process_test {
namespace {

using ::testing::HasSubstr;

TEST(Process, SaysHowItEndedAndWhatItSaid) {
  const auto good = run_process({"sh", "-c", "echo out; echo err >&2; pwd; exit 7"}, "/tmp", 10);
  EXPECT_EQ(good.code, 7);
  EXPECT_FALSE(good.timed_out);
  EXPECT_THAT(good.output, testing::AllOf(HasSubstr("out\n"), HasSubstr("err\n"), HasSubstr("/tmp")));
  EXPECT_EQ(run_process({"sh", "-c", "kill -9 $$"}, ".", 10).code, 128 + 9);
  EXPECT_EQ(run_process({"no-such-program-anywhere"}, ".", 10).code, 127);
  EXPECT_EQ(run_process({"sh", "-c", "true"}, "/no/such/folder", 10).code, 127);
  EXPECT_EQ(run_process({}, ".", 10).code, -1);
}

TEST(Process, HasNoInputAndKeepsOnlySoMuchOutput) {
  EXPECT_EQ(run_process({"cat"}, ".", 10).code, 0);
  const auto loud = run_process({"sh", "-c", "yes | head -c 5000000"}, ".", 60);
  EXPECT_EQ(loud.code, 0);
  EXPECT_LE(loud.output.size(), (1u << 20) + 4096);
}

TEST(Process, EndsWithEverythingItStartedWhenItTakesTooLong) {
  const auto slow = run_process({"sh", "-c", "sleep 60 & sleep 60"}, ".", 0.2);
  EXPECT_TRUE(slow.timed_out);
  EXPECT_EQ(slow.code, 128 + 9);
}

TEST(Process, FindsProgramsByPath) {
  EXPECT_TRUE(has_program("sh"));
  EXPECT_FALSE(has_program("no-such-program-anywhere"));
}

}  // namespace
}  // namespace dse::process_test
