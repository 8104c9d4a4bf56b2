// Tensors that the chip has no room for: the example of docs/memory/outside.md.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace dse::test::outside_test {
namespace {

TEST(OutsidePage, TheExampleAnswersAsThePageSaysAndItsPackageComputesSo) {
  const Folder here;
  here.write("wide.yaml", blocks_of("docs/memory/outside.md", "yaml", "An example").at(0));
  expect_page("docs/memory/outside.md", 4, here.path());
  const auto point = nlohmann::json::parse(read(here / "out/results.json"))["fronts"][0]["points"][0];
  EXPECT_EQ(point["verified"], true);
  EXPECT_EQ(try_package(here / "package"), "");
  EXPECT_THAT(read(here / "package/plan.yaml"), testing::HasSubstr("output: l3"));
  EXPECT_THAT(dse({"explain", here / "out", "--point", "smallest"}).out,
              testing::HasSubstr("; input from l3 through l2; output in l3 through l2\n"));
}

TEST(OutsidePage, WithoutRoomOutsideNothingLeaves) {
  const Folder here;
  here.write("wide.yaml", blocks_of("docs/memory/outside.md", "yaml", "An example").at(0));
  const auto said = dse({"run", here / "wide.yaml", "--device", "gap8-class", "--set", "memories.l2.size=40KiB",
                         "--set", "memories.l3.tensors=false", "-o", here / "out"});
  ASSERT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.out, testing::HasSubstr("rule-based: l2 is 41.5 KiB short"));
}

}  // namespace
}  // namespace dse::test::outside_test
