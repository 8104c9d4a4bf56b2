// Every result of an Ethos-U85 says that no cycle of it was compared with anything; those of others do not.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace dse::test::unvalidated_test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kSaid = "Ethos-U85: unvalidated, from tables; no measured or vendor-simulated cycle was compared";

TEST(NpuUnvalidated, IsSaidOnTheConsoleAndInJson) {
  const auto text = dse({"npu", "ds-cnn", "--config", "ethos-u85-256"});
  ASSERT_EQ(text.exit, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr(kSaid));
  const auto json = nlohmann::json::parse(dse({"npu", "ds-cnn", "--config", "u85-1024", "--json"}).out);
  EXPECT_EQ(json["unvalidated"], kSaid);
  EXPECT_TRUE(json["pmu"].contains("SRAM_RD_DATA_BEAT_RECEIVED"));
  const auto other = dse({"npu", "ds-cnn", "--json"});
  EXPECT_THAT(other.out, Not(HasSubstr("unvalidated")));
}

TEST(NpuUnvalidated, IsSaidOfFrontsAndOnTheirPage) {
  const Folder here;
  const auto several = dse({"npu", "ds-cnn", "--config", "ethos-u55-256,ethos-u85-512", "--arena", "64KiB",
                            "--optimise", "pareto", "--html", here / "npu.html"});
  ASSERT_EQ(several.exit, 0) << several.err;
  EXPECT_THAT(several.out, HasSubstr(kSaid));
  EXPECT_THAT(read(here / "npu.html"), HasSubstr(kSaid));
  EXPECT_THAT(dse({"npu", "ds-cnn", "--config", "ethos-u85-512", "--optimise", "pareto"}).out, HasSubstr(kSaid));
}

TEST(NpuUnvalidated, IsSaidOfARun) {
  const Folder here;
  const auto run = dse({"run", "ds-cnn", "--device", "corstone-u85", "-o", "out"}, here.path());
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr(kSaid));
  EXPECT_THAT(read(here / "out/report.html"), HasSubstr(kSaid));
}

TEST(NpuUnvalidated, Vela310KnowsNone) {
  const auto said = dse({"npu", "ds-cnn", "--config", "ethos-u85-256", "--model", "vela310"});
  EXPECT_NE(said.exit, 0);
  EXPECT_THAT(said.err, HasSubstr("Vela 3.10 has no Ethos-U85"));
}

}  // namespace
}  // namespace dse::test::unvalidated_test
