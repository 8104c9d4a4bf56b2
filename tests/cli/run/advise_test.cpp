// dse advise, and the example of docs/run/advise.md.
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/process.h"

namespace dse::test::advise_test {
namespace {

using testing::HasSubstr;

TEST(AdviseCommand, TheExampleOfThePageAnswersAsThePageSays) {
  const Folder here;
  const auto said = expect_page("docs/run/advise.md", 3, here.path());
  const auto page = read(DSE_SOURCE_DIR "/docs/run/advise.md");
  const std::string text = "```text\n";
  const auto from = page.find(text) + text.size();
  EXPECT_THAT(said.out, HasSubstr(page.substr(from, page.find("\n```", from) - from)));

  // Times of this device are off by 10 %, so a front that gains 9 % from its smallest point to its fastest marks all
  // between them.
  const auto results = nlohmann::json::parse(read(here / "out/results.json"));
  const auto& points = results["fronts"][0]["points"];
  EXPECT_FALSE(points[0].contains("as_fast_as"));
  EXPECT_EQ(points[1]["as_fast_as"], points[0]["id"]);

  const auto j = nlohmann::json::parse(dse({"advise", here / "out", "--point", "fastest", "--json"}).out);
  EXPECT_EQ(j["remedies"][0]["what"], "twice the speed of core");
  EXPECT_LT(j["remedies"][0]["cycles"], j["cycles"]);
  EXPECT_GE(j["layers"][0]["cycles"], j["layers"][1]["cycles"]);
  EXPECT_EQ(dse({"advise", here / "out", "--point", "nosuch"}).exit, 3);
  EXPECT_EQ(dse({"advise", here / "none"}).exit, 3);
  // A plan that is another one now is not the one that the run is about.
  const auto file = here / ("out/" + points[0]["plan"].get<std::string>());
  std::filesystem::copy_file(here / ("out/" + points[1]["plan"].get<std::string>()), file,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(dse({"advise", here / "out", "--point", "smallest"}).exit, 3);
}

}  // namespace
}  // namespace dse::test::advise_test
