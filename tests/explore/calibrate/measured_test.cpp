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

std::optional<MeasuredTable> read(const std::string& text, Diagnostics& d,
                                  const std::vector<std::pair<std::string, std::string>>& where = {}) {
  return read_measured(text, "t.csv", where, known, d);
}

TEST(Measured, WholeNetworksAndSingleOperators) {
  Diagnostics d;
  const auto t = read(
      "board,network,layer,cycles\na,resnet8,,1000\na,ds-cnn,whole "
      "(sum),2e3\na,resnet8,0,30\na,resnet8,stem,40\nb,resnet8,,9\n"
      "a,secret,,5\na,,,6\na,resnet8,99,7\n",
      d, {{"board", "a"}});
  ASSERT_TRUE(t) << d.text();
  ASSERT_EQ(t->rows.size(), 4u);
  EXPECT_EQ(t->rows[0].op, -1);
  EXPECT_EQ(t->rows[1].cycles, 2000);
  EXPECT_EQ(t->rows[1].op, -1);
  EXPECT_EQ(t->rows[2].op, 0);
  EXPECT_EQ(t->rows[3].op, 0);
  EXPECT_EQ(t->rows[3].label, "resnet8, operator 0 (stem)");
  EXPECT_EQ(t->rows[0].group, t->rows[2].group);
  EXPECT_NE(t->rows[0].group, t->rows[1].group);
  EXPECT_EQ(t->elsewhere, 1);
  EXPECT_EQ(t->without_a_file, 2);
  EXPECT_EQ(t->of_no_operator, 1);
}

TEST(Measured, FaultsAreNamed) {
  const auto why = [](const std::string& text, const std::vector<std::pair<std::string, std::string>>& where = {}) {
    Diagnostics d;
    EXPECT_FALSE(read(text, d, where));
    return d.text();
  };
  EXPECT_THAT(why("network,ticks\nresnet8,1\n"), HasSubstr("has no column cycles"));
  EXPECT_THAT(why("name,cycles\nresnet8,1\n"), HasSubstr("has no column network_file or network"));
  for (const char* cycles : {"", "-1", "0", "nan", "inf", "12x"})
    EXPECT_THAT(why(std::string("network,cycles\nresnet8,") + cycles + "\n"),
                HasSubstr("is no number of cycles above 0"));
  EXPECT_THAT(why("network,cycles,board\nresnet8,1,a\n", {{"bord", "a"}}),
              testing::AllOf(HasSubstr("has no column 'bord'"), HasSubstr("did you mean board?")));
  EXPECT_THAT(why("network,cycles\nsecret,1\n"),
              HasSubstr("has no row to calibrate with: 0 left out by --where, 1 name no"));
}

}  // namespace
}  // namespace dse::explore::measured_test
