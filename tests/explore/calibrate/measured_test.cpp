#include "explore/calibrate/measured.h"

#include <gmock/gmock.h>

#include "models/nn/import.h"

namespace dse::explore::measured_test {
namespace {

using testing::HasSubstr;

nn::NetworkPtr known(const std::string& name, Diagnostics& d) {
  if (name != "resnet8" && name != "ds-cnn") return nullptr;
  return nn::load_network(DSE_SOURCE_DIR "/configs/networks/" + name + ".yaml", d);
}

std::optional<MeasuredTable> read(const std::string& text, Diagnostics& d, const std::vector<std::string>& where = {}) {
  RowChoice choice;
  for (const auto& words : where) choice.where.push_back(*condition_of(words));
  choice.operators = {{"arm_convolve_s8", "CONV_2D"}};
  const auto table = parse_csv(text, "t.csv", d);
  return table ? read_measured(*table, "t.csv", choice, known, d) : std::nullopt;
}

TEST(Measured, WholeNetworksAndSingleOperators) {
  Diagnostics d;
  const auto t = read(
      "board,network,layer,cycles\na,resnet8,,1000\na,ds-cnn,whole "
      "(sum),2e3\na,resnet8,0,30\na,resnet8,stem,40\nb,resnet8,,9\n"
      "a,secret,,5\na,,,6\na,resnet8,99,7\n",
      d, {"board=a"});
  ASSERT_TRUE(t) << d.text();
  ASSERT_EQ(t->rows.size(), 4u);
  EXPECT_EQ(t->rows[0].op, -1);
  EXPECT_EQ(t->rows[1].cycles, 2000);
  EXPECT_EQ(t->rows[1].op, -1);
  EXPECT_EQ(t->rows[2].op, 0);
  EXPECT_EQ(t->rows[3].op, 0);
  EXPECT_EQ(t->rows[3].label, "resnet8, operator 0 (stem)");
  EXPECT_EQ(t->rows[0].about, t->rows[2].about);
  EXPECT_NE(t->rows[0].about, t->rows[1].about);
  EXPECT_TRUE(t->rows[0].whole);
  EXPECT_FALSE(t->rows[2].whole);
  EXPECT_EQ(t->elsewhere, 1);
  EXPECT_EQ(t->without_a_file, (std::vector<int>{7, 8}));
  EXPECT_EQ(t->of_no_operator, std::vector<int>{9});
}

TEST(Measured, ConditionsAreAboutTextOrParts) {
  Diagnostics d;
  const std::string text =
      "build,network,cycles\ngcc -O3,resnet8,1\ngcc -Os,resnet8,2\ngcc -Ofast,resnet8,3\nclang -O3,resnet8,4\n";
  const auto taken = [&](const std::vector<std::string>& where) {
    const auto table = read(text, d, where);  // outlives the loop over its rows
    std::vector<double> out;
    for (const auto& row : table->rows) out.push_back(row.cycles);
    return out;
  };
  EXPECT_EQ(taken({"build=gcc -O3"}), (std::vector<double>{1}));
  EXPECT_EQ(taken({"build!=gcc -O3"}), (std::vector<double>{2, 3, 4}));
  EXPECT_EQ(taken({"build~gcc"}), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(taken({"build~gcc", "build!~-Os"}), (std::vector<double>{1, 3}));
  for (const char* wrong : {"build", "=a", "build!a", "", "!~x"}) EXPECT_FALSE(condition_of(wrong)) << wrong;
  EXPECT_TRUE(condition_of("a=")->text.empty());
}

TEST(Measured, WordsStandForWhatIsNotThere) {
  Diagnostics d;
  const auto t = read(
      "network_file,network,layer,operator,shape,cycles\n"
      ",secret,1,CONV_2D,in 49x10x1 out 25x5x64 k10x4 s2x2,10\n"
      ",secret,2,DEPTHWISE_CONV_2D,in 58x13x1 out 25x5x64 k10x4 s2x2 multiplier 64,11\n"
      ",,kernel,arm_convolve_s8,32x32x64 k3 oc64,12\n"
      ",secret,,network,conv3x3/s2 28x28x1>14x14x4 7056; gap>4; fc 4>10 40,13\n"
      "resnet8,,0,FULLY_CONNECTED,in 64 out 12,14\n"
      "resnet8,,0,CONV_2D,not said,15\n"
      ",secret,3,MAGIC,in 4 out 4,16\n",
      d);
  ASSERT_TRUE(t) << d.text();
  ASSERT_EQ(t->rows.size(), 6u);
  EXPECT_EQ(t->without_a_file, std::vector<int>{8});
  EXPECT_EQ(t->rows[0].network->macs(), 320000);
  EXPECT_EQ(t->rows[1].network->macs(), 320000);
  EXPECT_EQ(t->rows[2].network->macs(), 32 * 32 * 64 * 64 * 9);
  EXPECT_TRUE(t->rows[3].whole);
  EXPECT_EQ(t->rows[4].network->macs(), 768);  // operator 0 of resnet8 is none of this kind
  EXPECT_EQ(t->rows[5].op, 0);
  EXPECT_EQ(t->rows[0].about, t->rows[1].about);
  EXPECT_EQ(t->rows[4].about, t->rows[5].about);
  EXPECT_NE(t->rows[0].about, t->rows[2].about);
}

TEST(Measured, OperatorsOfNoNetworkStandForThemselves) {
  Diagnostics d;
  const auto t = read(
      "network,layer,operator,shape,cycles\n,4,FULLY_CONNECTED,in 64 out 12,15\n"
      ",5,FULLY_CONNECTED,in 64 out 10,14\nn,6,FULLY_CONNECTED,in 64 out 10,14\n",
      d);
  ASSERT_TRUE(t) << d.text();
  ASSERT_EQ(t->rows.size(), 3u);
  EXPECT_FALSE(t->rows[0].about.empty());
  EXPECT_NE(t->rows[0].about, t->rows[1].about);
  EXPECT_EQ(t->rows[0].label, "4 (FULLY_CONNECTED in 64 out 12)");
  EXPECT_EQ(t->rows[2].label, "n, 6 (FULLY_CONNECTED in 64 out 10)");
}

TEST(Measured, FaultsAreNamed) {
  const auto why = [](const std::string& text, const std::vector<std::string>& where = {}) {
    Diagnostics d;
    EXPECT_FALSE(read(text, d, where));
    return d.text();
  };
  EXPECT_THAT(why("network,ticks\nresnet8,1\n"), HasSubstr("has no column cycles"));
  EXPECT_THAT(why("name,cycles\nresnet8,1\n"), HasSubstr("has no column network_file or network"));
  for (const char* cycles : {"", "-1", "0", "nan", "inf", "12x"})
    EXPECT_THAT(why(std::string("network,cycles\nresnet8,") + cycles + "\n"),
                HasSubstr("is no number of cycles above 0"));
  EXPECT_THAT(why("network,cycles,board\nresnet8,1,a\n", {"bord=a"}),
              testing::AllOf(HasSubstr("has no column 'bord'"), HasSubstr("did you mean board?")));
  EXPECT_THAT(why("network,cycles\nsecret,1\n"),
              HasSubstr("has no row to calibrate with: 0 left out by --where, 1 name no"));
}

}  // namespace
}  // namespace dse::explore::measured_test
