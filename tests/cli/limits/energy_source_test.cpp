// Energies that nobody measured or published are neither told nor asked for, in any command and file.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace dse::test::energy_source_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const char* const kNetwork = R"(format: 1
name: small
seed: 1
input: {shape: [1, 8, 8, 4], scale: 0.0078, zero_point: 0}
layers:
  - conv: {name: a, filters: 8, kernel: 3, activation: relu}
  - conv: {name: b, filters: 4, kernel: 1}
)";

TEST(EnergySource, NothingTellsEnergiesThatNobodyMeasured) {
  const Folder here;
  const auto network = here.write("small.yaml", kNetwork);
  const auto run = [&](const std::string& out, std::vector<std::string> more) {
    std::vector<std::string> all = {"run", network, "-d", "stm32h743", "-o", here / out};
    all.insert(all.end(), more.begin(), more.end());
    const auto said = dse(all);
    EXPECT_EQ(said.exit, 0) << said.err;
    return dse({"explain", here / out, "--point", "1"}).out + dse({"study", "show", here / out}).out +
           dse({"study", "export", here / out, "-o", "-", "--json"}).out;
  };
  const auto unsaid = run("unsaid", {}), said = run("said", {"--set", "energy_source=measured by us"});
  EXPECT_THAT(said, AllOf(HasSubstr(" uJ (estimate)"), HasSubstr("energy/uJ")));
  EXPECT_THAT(unsaid, AllOf(Not(HasSubstr("uJ")), Not(HasSubstr("(estimate)"))));
  const auto rows = nlohmann::json::parse(dse({"study", "export", here / "unsaid", "-o", "-", "--json"}).out);
  ASSERT_FALSE(rows.empty());
  for (const auto& row : rows) EXPECT_TRUE(row["energy_fj"].is_null() && row["energy_uj"].is_null());
  const auto told = nlohmann::json::parse(read(here / "said/results.json"))["fronts"][0];
  EXPECT_EQ(told["energy_source"], "measured by us");
  EXPECT_GT(told["points"][0]["energy_uj"], 0);
  const auto quiet = nlohmann::json::parse(read(here / "unsaid/results.json"))["fronts"];
  EXPECT_THAT(quiet.dump(), Not(HasSubstr("energy")));
}

TEST(EnergySource, QuestionsOfEnergySayWhatToWrite) {
  const Folder here;
  const auto network = here.write("small.yaml", kNetwork);
  const auto hint = AllOf(HasSubstr("does not say where its energies come from"), HasSubstr("energy_source:"));
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& what) {
    const auto said = dse(arguments);
    EXPECT_EQ(said.exit, 3) << said.out;
    EXPECT_THAT(said.err, AllOf(HasSubstr(what + ": stm32h743"), hint));
  };
  refused({"run", network, "-d", "stm32h743", "--objective", "energy", "-o", here / "out"}, "objective energy");
  refused({"run", network, "-d", "stm32h743", "--limit", "energy=2mJ", "-o", here / "out"},
          "--limit: error: constraint energy");
  refused({"run", network, "-d", "stm32h743", "--limit", "energy=2mJ", "--dry-run"}, "constraint energy");
  const auto sweep = here.write("sweep.yaml",
                                "networks: [small.yaml]\ndevices: [stm32h743]\nexplore:\n"
                                "  constraints: {energy: \"<= 2 mJ\"}\n");
  refused({"run", sweep, "-o", here / "out"}, "sweep.yaml:4:17: error: constraint energy");
  ASSERT_EQ(dse({"run", network, "-d", "stm32h743", "-o", here / "plain"}).exit, 0);
  const auto front = nlohmann::json::parse(read(here / "plain/results.json"))["fronts"][0];
  const auto plan = here / ("plain/" + front["points"][0]["plan"].get<std::string>());
  refused({"check", plan, "-n", network, "-d", "stm32h743", "--limit", "energy=2mJ"}, "constraint energy");
  const auto limits = here.write("limits.yaml", "constraints: {energy: \"<= 2 mJ\"}\n");
  refused({"check", plan, "-n", network, "-d", "stm32h743", "--limits", limits}, "constraint energy");
  const auto diff = dse({"diff", here / "plain", here / "plain", "--point", "1", "--fail-over", "energy=0"});
  EXPECT_NE(diff.exit, 0);
  EXPECT_THAT(diff.err, HasSubstr("is not known"));
}

}  // namespace
}  // namespace dse::test::energy_source_test
