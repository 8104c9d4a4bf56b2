// Dynamic rescaling from outside: the example of docs/network/rescaling.md, its package, and what is refused.
#include <gmock/gmock.h>

#include "tests/cli/process.h"

namespace dse::test::rescaling_test {
namespace {

using testing::HasSubstr;

class RescalingPage : public testing::Test {
 protected:
  RescalingPage() { here.write("small.yaml", blocks_of("docs/network/rescaling.md", "yaml", "An example").front()); }
  Said quantize(const std::vector<std::string>& more) {
    std::vector<std::string> words = {"quantize", "small.yaml", "--rescaling", "dynamic", "-o", "o.dsenet"};
    words.insert(words.end(), more.begin(), more.end());
    return dse(words, here.path());
  }
  const Folder here;
};

TEST_F(RescalingPage, TheExampleAnswersAsThePageSaysAndItsPackageComputesSo) {
  expect_page("docs/network/rescaling.md", 7, here.path());
  EXPECT_EQ(try_fastest("out", here.path()), "");
  const auto seen = dse({"inspect", "small.dsenet"}, here.path());
  EXPECT_THAT(seen.out, HasSubstr("NORMALIZE"));
}

TEST_F(RescalingPage, WhatIsRefused) {
  auto said = quantize({});
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(said.err, HasSubstr("--rescaling dynamic: factors are of Q formats"));
  said = quantize({"--scheme", "q-format", "--correction", "round-then-correct"});
  EXPECT_EQ(said.exit, 3);
  said = quantize({"--scheme", "q-format", "--output-batches", "0"});
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(said.err, HasSubstr("--output-batches: '0' is no number of batches"));
  said = quantize({"--scheme", "q-format", "--output-batches", "12x"});
  EXPECT_EQ(said.exit, 3);
}

}  // namespace
}  // namespace dse::test::rescaling_test
