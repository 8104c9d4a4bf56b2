// dse infer over several steps: what variables keep, which files are read and written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "tests/cli/process.h"

namespace dse::test::infer_test {
namespace {

using testing::HasSubstr;

/// y = x + v, v = y: adds its four inputs up, from 10 on.
const std::string running_sum = DSE_SOURCE_DIR "/tests/fuzz/corpus/tflite/running-sum.tflite";

std::string four(int v) { return std::string(4, static_cast<char>(v)); }

TEST(Infer, VariablesKeepTheirValuesBetweenSteps) {
  const Folder here;
  here.write("input0.bin", four(1));
  here.write("input0_step1.bin", four(2));
  here.write("input0_step2.bin", four(-5));
  const auto said = dse({"infer", running_sum, "--input-dir", here.path(), "--steps", "3", "-o", here / "out"});
  ASSERT_EQ(said.exit, 0) << said.err;
  EXPECT_EQ(read(here / "out/output0.bin"), four(11));
  EXPECT_EQ(read(here / "out/output0_step1.bin"), four(13));
  EXPECT_EQ(read(here / "out/output0_step2.bin"), four(8));
  EXPECT_THAT(said.out, HasSubstr("output0_step2.bin"));
  // The next call starts from the beginning.
  ASSERT_EQ(dse({"infer", running_sum, "--input-dir", here.path(), "-o", here / "again"}).exit, 0);
  EXPECT_EQ(read(here / "again/output0.bin"), four(11));
  EXPECT_FALSE(std::filesystem::exists(here / "again/output0_step1.bin"));
}

TEST(Infer, ASeedGivesEveryStepOtherInputs) {
  const Folder here;
  const auto run = [&](const char* steps, const char* out) {
    return dse({"infer", running_sum, "--seed", "3", "--steps", steps, "-o", here / out}).exit;
  };
  ASSERT_EQ(run("2", "two"), 0);
  ASSERT_EQ(run("1", "one"), 0);
  EXPECT_EQ(read(here / "two/output0.bin"), read(here / "one/output0.bin"));
  EXPECT_NE(read(here / "two/output0_step1.bin"), read(here / "two/output0.bin"));
}

TEST(Infer, AMissingStepLeavesNothingBehind) {
  const Folder here;
  here.write("input0.bin", four(1));
  const auto said = dse({"infer", running_sum, "--input-dir", here.path(), "--steps", "2", "-o", here / "out"});
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(said.err, HasSubstr("input0_step1.bin"));
  EXPECT_FALSE(std::filesystem::exists(here / "out"));
}

TEST(Infer, StepsNeedInputsForEach) {
  const Folder here;
  const auto said =
      dse({"infer", running_sum, "--input", here.write("x.bin", four(1)), "--steps", "2", "-o", here / "o"});
  EXPECT_EQ(said.exit, 2);
  EXPECT_THAT(said.err, HasSubstr("--steps"));
}

TEST(Infer, TheExampleOfTheDocumentationRuns) {
  const std::string page = read(DSE_SOURCE_DIR "/docs/network/tflite.md");
  const auto at = page.find("\n    dse infer running-sum.tflite");
  ASSERT_NE(at, std::string::npos);
  std::istringstream line(page.substr(at + 5, page.find('\n', at + 1) - at - 5));
  std::vector<std::string> words{std::istream_iterator<std::string>(line), {}};
  ASSERT_EQ(words.front(), "dse");
  words.erase(words.begin());
  const Folder here;
  std::filesystem::copy_file(running_sum, here / "running-sum.tflite");
  const auto said = dse(words, here.path());
  ASSERT_EQ(said.exit, 0) << said.err;
  for (const char* file : {"output0.bin", "output0_step1.bin", "output0_step2.bin", "tensors.json"})
    EXPECT_TRUE(std::filesystem::exists(here / ("out/" + std::string(file)))) << file;
}

TEST(Infer, StatefulModelsEqualTheReferenceAtEveryStep) {
  const char* shared = std::getenv("DSE_SHARED");
  const std::string folder = shared ? shared : DSE_SOURCE_DIR "/../shared";
  if (!std::filesystem::exists(folder + "/golden/tflite")) GTEST_SKIP() << "no reference files at " << folder;
  for (const char* model : {"tflm_mnist_lstm_int8", "tflm_keyword_scrambled_8bit"})
    for (const char* seed : {"0", "1", "2"}) {
      const Folder here;
      const auto golden = folder + "/golden/tflite/" + model + "/seed" + seed;
      const auto said = dse({"infer", folder + "/models/tflite/" + model + ".tflite", "--seed", seed, "--steps", "3",
                             "-o", here / "out"});
      ASSERT_EQ(said.exit, 0) << said.err;
      for (const char* file : {"output0.bin", "output0_step1.bin", "output0_step2.bin"})
        EXPECT_EQ(read(here / ("out/" + std::string(file))), read(golden + "/" + file)) << golden << " " << file;
    }
}

}  // namespace
}  // namespace dse::test::infer_test
