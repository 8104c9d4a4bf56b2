// Output batches from outside: the example of docs/run/batches.md, packages, and what a device may not say.
#include <gmock/gmock.h>

#include "tests/cli/process.h"

namespace dse::test::batches_test {
namespace {

using testing::HasSubstr;

class BatchesPage : public testing::Test {
 protected:
  BatchesPage() { here.write("small.yaml", blocks_of("docs/run/batches.md", "yaml", "An example").front()); }
  Said run(const std::string& from, const std::string& to) {
    auto text = read(DSE_SOURCE_DIR "/configs/devices/wide-sums.yaml");
    const auto at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    here.write("device.yaml", text.replace(at, from.size(), to));
    return dse({"run", "small.yaml", "--device", "device.yaml", "-o", "o"}, here.path());
  }
  const Folder here;
};

TEST_F(BatchesPage, TheExampleAnswersAsThePageSaysAndItsPackageComputesSo) {
  expect_page("docs/run/batches.md", 5, here.path());
  EXPECT_EQ(try_fastest("out", here.path()), "");
  const auto choices = dse({"choices", "small.yaml", "--device", "wide-sums"}, here.path()).out;
  EXPECT_THAT(choices, testing::ContainsRegex("wide.batches +1 +1 4 16 64 256 1024"));
  EXPECT_THAT(dse({"choices", "small.yaml", "--device", "gap8-class"}, here.path()).out,
              testing::Not(HasSubstr("batches")));
}

TEST_F(BatchesPage, WhatADeviceMayNotSay) {
  auto said = run("    rescaled_per_cycle: 2 ", "    #");
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(said.err, HasSubstr("engines.mac.rescales_apart: without rescaled_per_cycle"));
  said = run("rescaled_per_cycle: 2", "rescaled_per_cycle: 0");
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(said.err, HasSubstr("rescaled_per_cycle"));
}

}  // namespace
}  // namespace dse::test::batches_test
