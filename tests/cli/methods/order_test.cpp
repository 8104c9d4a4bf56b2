// dse order: text, JSON, rules, bad input, networks.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace dse::test::order_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kGraph =
    "# graph branches\nT x 64\nT a 96\nT b 16\nT c 96\nT d 16\nT y 16\nIN x\nOUT y\n"
    "OP 0 Conv a x\nOP 1 Conv c x\nOP 2 Conv b a\nOP 3 Conv d c\nOP 4 Add y b d\n";

TEST(Order, JsonHasTheOrderAndItsCertificate) {
  Folder folder;
  folder.write("g.dag", kGraph);
  const auto said = dse({"order", "g.dag", "--json"}, folder.path());
  EXPECT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.err, IsEmpty());
  const auto out = json::parse(said.out);
  EXPECT_EQ(out["file_order_peak_bytes"], 256);
  EXPECT_EQ(out["peak_bytes"], 176);  // x, one large tensor and the other branch's end
  EXPECT_EQ(out["lower_bound_bytes"], 176);
  EXPECT_EQ(out["optimal"], true);
  EXPECT_EQ(out["order"].size(), 5u);
  EXPECT_EQ(out["order"].back(), 4);
}

TEST(Order, TheRuleIsTheUsersChoice) {
  Folder folder;
  folder.write("g.dag", "T a 16\nT b 16\nIN a\nOUT b\nOP 0 Relu b a\n");
  const auto peak = [&](const std::string& rule) {
    return json::parse(dse({"order", "g.dag", "--rule", rule, "--json"}, folder.path()).out)["peak_bytes"].get<int>();
  };
  EXPECT_EQ(peak("out-of-place"), 32);
  EXPECT_EQ(peak("inplace-ew"), 16);
  EXPECT_EQ(dse({"order", "g.dag", "--rule", "magic"}, folder.path()).exit, 2);
}

TEST(Order, ALimitEndsTheSearchOrCannotBeKept) {
  Folder folder;
  folder.write("g.dag", kGraph);
  const auto enough = dse({"order", "g.dag", "--limit", "200", "--json"}, folder.path());
  EXPECT_EQ(enough.exit, 0);
  EXPECT_LE(json::parse(enough.out)["peak_bytes"].get<int>(), 200);
  EXPECT_EQ(dse({"order", "g.dag", "--limit", "176"}, folder.path()).exit, 0);
  const auto impossible = dse({"order", "g.dag", "--limit", "175"}, folder.path());
  EXPECT_EQ(impossible.exit, 4);
  EXPECT_THAT(impossible.err, HasSubstr("no order needs at most 175 bytes: the best needs 176 bytes"));
  EXPECT_THAT(impossible.out, HasSubstr("176 bytes, optimal"));
}

TEST(Order, ShippedNetworksAreOrderedByName) {
  const auto said = dse({"order", "resnet8"});
  EXPECT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("49,152 bytes, optimal"), HasSubstr("CONV_2D")));
}

TEST(Order, BadInputIsNamedWithItsPlace) {
  Folder folder;
  folder.write("g.dag", "T a 16\nOP 0 Relu b a\n");
  const auto said = dse({"order", "g.dag"}, folder.path());
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(said.out, IsEmpty());
  EXPECT_THAT(said.err, HasSubstr("g.dag:2:11: error: no tensor 'b'"));
  EXPECT_EQ(dse({"order", "missing.dag"}, folder.path()).exit, 3);
  EXPECT_EQ(dse({"order"}, folder.path()).exit, 2);
}

}  // namespace
}  // namespace dse::test::order_test
