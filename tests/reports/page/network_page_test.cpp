// The three forms of `dse inspect`: text, JSON and page.
#include "reports/network/network_page.h"

#include <gmock/gmock.h>

#include <regex>
#include <sstream>

#include "reports/network/network_graph.h"
#include "reports/network/network_json.h"
#include "reports/network/network_table.h"
#include "reports/network/network_text.h"
#include "reports/network/network_words.h"
#include "tests/reports/page/inspected_network.h"

namespace dse::reports::network_page_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(NetworkText, SaysWhatCannotBeRunWhereAndWhy) {
  const auto text = network_text(*testing::small_network());
  EXPECT_THAT(text, AllOf(HasSubstr("cannot be run: 2 operators of 6\n"),
                          HasSubstr("     4  other0 (MadeUp): this operator is not supported\n"),
                          HasSubstr("\n4! other0"), HasSubstr("float operators: none")));
  EXPECT_THAT(text, HasSubstr("peak of activations  384 bytes, while operator 2 (add0) runs"));
}

TEST(NetworkText, ShowsQFormatsWithCorrectionFactors) {
  const auto text = network_text(*testing::small_network());
  EXPECT_THAT(text, AllOf(HasSubstr("conv0   Q3.4 -> Q3.4, weights Q0.7 x 2..3\n"), HasSubstr("add0    Q3.4 -> Q4.3\n"),
                          HasSubstr("scale 0.0078125, zero point 0, Q0.7")));
}

TEST(NetworkText, SectionsComeInOrderAndLinesFit) {
  for (const auto& n : {testing::small_network(), testing::large_network(60)}) {
    const auto text = network_text(*n);
    std::size_t at = 0;
    for (const char* title : {"# ", "total", "\ninputs", "\noutputs", "\nmemory", "\noperators by kind",
                              "\ncannot be run", "\nfloat operators"}) {
      const auto found = text.find(title, at);
      ASSERT_NE(found, std::string::npos) << title;
      at = found;
    }
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  }
}

TEST(NetworkText, FloatOperatorsAreListedAsRanges) {
  EXPECT_THAT(network_text(*testing::large_network(20)),
              HasSubstr("float operators (quantise first: dse quantize): 27 of 27: 0-26"));
  EXPECT_EQ(ranges_text({0, 1, 2, 5, 7, 8}), "0-2, 5, 7-8");
}

TEST(NetworkTable, NarrowTablesCutTypesThenBytesThenNames) {
  const auto n = testing::large_network(20);
  const auto s = nn::summarize(*n);
  EXPECT_THAT(network_table(*n, s, 200), AllOf(HasSubstr("CONCATENATION"), HasSubstr("1,605,632")));
  EXPECT_THAT(network_table(*n, s, 84), AllOf(HasSubstr("CONCATENATI~"), HasSubstr(" 1,568.0 ")));
  const auto narrow = network_table(*n, s, 60);
  EXPECT_THAT(narrow, AllOf(HasSubstr("CONCATE~"), HasSubstr("KiB in"), HasSubstr(" 1,568 "), HasSubstr(" 784.0 "),
                            Not(HasSubstr("1,605,632"))));
}

TEST(NetworkWords, DataTypesNameWhatDiffers) {
  const auto n = testing::small_network();
  const auto s = nn::summarize(*n);
  EXPECT_EQ(data_types(*n, s.layers[0]), "i8");
  auto changed = *n;
  changed.tensors[0].type = nn::DataType::int16;
  changed.tensors[2].type = nn::DataType::uint8;
  EXPECT_EQ(data_types(changed, s.layers[0]), "i16*i8>u8");
  EXPECT_EQ(shape_text({}), "scalar");
  EXPECT_EQ(intensity_text(0), "-");
  EXPECT_EQ(intensity_text(0.25), "0.250");
  EXPECT_EQ(intensity_text(137.66), "137.7");
}

TEST(NetworkJson, HoldsEveryFigure) {
  const auto j = network_json(*testing::small_network());
  EXPECT_EQ(j["format"], 1);
  EXPECT_EQ(j["operators"], 6);
  EXPECT_EQ(j["peak"]["bytes"], 384);
  EXPECT_EQ(j["peak"]["operator"], 2);
  EXPECT_EQ(j["layers"][0]["macs"], 8 * 8 * 2 * 2);
  EXPECT_EQ(j["layers"][0]["q_formats"]["w"], "Q0.7 x 2..3");
  EXPECT_EQ(j["layers"][4]["evaluation"], "none");
  EXPECT_EQ(j["unsupported"].size(), 2u);
  EXPECT_EQ(j["unsupported"][0]["operator"], 4);
  EXPECT_EQ(j["unsupported"][0]["why"], "this operator is not supported");
  EXPECT_EQ(j["inputs"][0]["quantization"]["scale"][0], 0.0625);
  EXPECT_EQ(network_json(*testing::large_network(20))["float_operators"].size(), 27u);
}

TEST(NetworkPage, NeedsNothingBesideItAndNamesCannotEndTheScript) {
  const auto page = network_page(*testing::small_network());
  const std::regex address(R"(https?://[^"'\s<>]*)");
  for (std::sregex_iterator it(page.begin(), page.end(), address), end; it != end; ++it)
    EXPECT_TRUE(it->str().starts_with("http://www.w3.org/")) << it->str();
  EXPECT_EQ(page.find("/*slot:"), std::string::npos);
  EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
  std::size_t closes = 0;
  for (std::size_t at = 0; (at = page.find("</script", at)) != std::string::npos; ++at) ++closes;
  EXPECT_EQ(closes, 3u);
  EXPECT_EQ(page, network_page(*testing::small_network()));
}

TEST(NetworkPage, PayloadLinksTableAndGraph) {
  const auto p = network_payload(*testing::small_network());
  EXPECT_EQ(p["layers"].size(), 6u);
  EXPECT_EQ(p["graph"]["nodes"].size(), 6u + 1 + 2);
  for (std::size_t o = 0; o < 6; ++o) EXPECT_EQ(p["graph"]["nodes"][o]["layer"], o);
  EXPECT_EQ(p["graph"]["edges"].size(), 1u + 1 + 2 + 1 + 1 + 2 + 2);  // what each operator reads, and the outputs
  // The parts of a split leave side by side, each with room for its label.
  double left = 0, right = 0;
  for (const auto& e : p["graph"]["edges"]) {
    const auto& name = p["tensors"][e["tensor"].get<std::size_t>()]["name"];
    if (name == "left") left = e["points"][0].get<double>();
    if (name == "right") right = e["points"][0].get<double>();
  }
  EXPECT_GE(right - left, label_width(testing::small_network()->tensors[5]));
}

TEST(NetworkPage, LargeNetworksStayBelowTwoMegabytes) {
  const auto n = testing::large_network(668);
  EXPECT_GE(n->operators.size(), 668u);
  EXPECT_LT(network_page(*n).size(), 2'000'000u);
}

}  // namespace
}  // namespace dse::reports::network_page_test
