// Techniques of convolutions from outside: the example of docs/run/techniques.md, and what a device may not say.
#include <gmock/gmock.h>

#include "tests/cli/process.h"

namespace dse::test::techniques_test {
namespace {

using testing::HasSubstr;

class TechniquesPage : public testing::Test {
 protected:
  TechniquesPage() { here.write("small.yaml", blocks_of("docs/run/techniques.md", "yaml", "An example").front()); }
  Said run(const std::string& device) {
    here.write("device.yaml", device);
    return dse({"run", "small.yaml", "--device", "device.yaml", "-o", "o"}, here.path());
  }
  std::string fastest() { return dse({"explain", "o", "--point", "fastest"}, here.path()).out; }
  /// The shipped device with this engine instead, or with other text in it.
  static std::string with(const std::string& from, const std::string& until, const std::string& to) {
    auto text = read(DSE_SOURCE_DIR "/configs/devices/conv-units.yaml");
    const auto begin = text.find(from), end = text.find(until, begin);
    EXPECT_TRUE(begin != text.npos && end != text.npos) << from;
    return text.replace(begin, end - begin, to);
  }
  const Folder here;
};

TEST_F(TechniquesPage, TheExampleAnswersAsThePageSays) { expect_page("docs/run/techniques.md", 4, here.path()); }

/// The second and third; the shipped device is the first.
TEST_F(TechniquesPage, OneUnitIsUsedForAllAndNoneTradesCopiesForAFasterLoop) {
  const std::string one = "efficiency: {default: 0.05, im2row: 1}\n    techniques: {im2row: 8 B/cycle}\n    ";
  ASSERT_EQ(run(with("efficiency:", "cycles_per_element", one)).exit, 0);
  EXPECT_THAT(fastest(), testing::AllOf(testing::ContainsRegex("wide: .* by im2row"),
                                        testing::ContainsRegex("square: .* by im2row")));
  const std::string none =
      "kind: cpu\n    memories: [l1, l2]\n    cycles_per_mac: {default: 2, im2row: 1.2}\n    techniques: {im2row: 1 "
      "B/cycle}\n    copy: 1 B/cycle\n    ";
  ASSERT_EQ(run(with("kind: mac-array", "cycles_per_element", none)).exit, 0);
  EXPECT_THAT(fastest(), testing::ContainsRegex("square: .* by im2row"));
}

TEST_F(TechniquesPage, PackagesComputeByThem) {
  ASSERT_EQ(dse({"run", "small.yaml", "--device", "conv-units", "-o", "o"}, here.path()).exit, 0);
  EXPECT_EQ(try_fastest("o", here.path()), "");
  const auto choices = dse({"choices", "small.yaml", "--device", "conv-units"}, here.path()).out;
  EXPECT_THAT(choices, testing::ContainsRegex("wide.technique +direct +direct im2row im2row-by-row"));
  EXPECT_THAT(choices, testing::ContainsRegex("square.technique +direct +direct im2row im2row-by-row winograd"));
}

TEST_F(TechniquesPage, WhatADeviceMayNotSay) {
  auto said = run(with("winograd: 16", " B/cycle", "winnograd: 16"));
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(said.err, HasSubstr("did you mean winograd?"));
  said = run(with("      winograd: 16", "zero-insertion: 8", "      "));
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(said.err, HasSubstr("engines.mac.efficiency: has 'winograd', which is not among techniques"));
}

}  // namespace
}  // namespace dse::test::techniques_test
