// dse trace, and the example of docs/run/trace.md.
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/process.h"
#include "tests/reports/trace/trace_checks.h"

namespace dse::test::trace_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

json explained(const std::string& folder, const std::string& point) {
  return json::parse(dse({"explain", folder, "--point", point, "--json"}).out);
}

TEST(TraceCommand, TheExampleOfThePageAnswersAsThePageSays) {
  const Folder here;
  expect_page("docs/run/trace.md", 2, here.path());
  const auto point = explained(here / "out", "smallest");
  const auto text = read(here / "trace.json");
  expect_sound_trace(text, point);
  expect_sound_vcd(read(here / "trace.vcd"), point, json::parse(text)["otherData"]["tick_hz"]);

  // The same on standard output, which nothing else is printed to.
  const auto piped = dse({"trace", here / "out", "--point", "smallest", "-o", "-"});
  EXPECT_EQ(piped.out, text);
  EXPECT_THAT(piped.err, StartsWith("-: 2,"));
  // Nothing but what is asked for, and trace.json where nothing is.
  const Folder there;
  EXPECT_THAT(dse({"trace", here / "out", "--vcd", "x.vcd"}, there.path()).out, StartsWith("x.vcd: "));
  EXPECT_FALSE(std::filesystem::exists(there / "trace.json"));
  const auto j = json::parse(dse({"trace", here / "out", "--json"}, there.path()).out);
  EXPECT_EQ(j["cycles"], explained(here / "out", "knee")["latency_cycles"]);
  EXPECT_EQ(j["trace"]["file"], "trace.json");
  EXPECT_FALSE(j.contains("vcd"));
  EXPECT_TRUE(std::filesystem::exists(there / "trace.json"));
}

TEST(TraceCommand, RefusesWhatItCannotTrace) {
  const Folder here;
  const auto out = here / "out";
  ASSERT_EQ(dse({"run", "ds-cnn", "--device", "cortex-m7-class", "-o", out}).exit, 0);
  EXPECT_EQ(dse({"trace", out, "--point", "nosuch"}).exit, 3);
  EXPECT_EQ(dse({"trace", here / "none"}).exit, 3);
  EXPECT_EQ(dse({"trace", out, "-o", "-", "--vcd", "-"}).exit, 2);
  const auto nowhere = dse({"trace", out, "-o", here / "none/trace.json"});
  EXPECT_EQ(nowhere.exit, 1);
  EXPECT_THAT(nowhere.err, HasSubstr("trace.json: cannot be written"));
  const auto results = json::parse(read(here / "out/results.json"));
  const auto& points = results["fronts"][0]["points"];
  // A plan that is another one now is not the one that the run is about, and no time but the run's is believed.
  const auto file = here / ("out/" + points[0]["plan"].get<std::string>());
  std::filesystem::copy_file(here / ("out/" + points[1]["plan"].get<std::string>()), file,
                             std::filesystem::copy_options::overwrite_existing);
  const auto changed = dse({"trace", out, "--point", "smallest", "-o", here / "t.json"});
  EXPECT_EQ(changed.exit, 3);
  EXPECT_THAT(changed.out, IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(here / "t.json"));
}

/// Layers by phases on a CPU, filters that are fetched ahead by a DMA.
TEST(TraceCommand, EveryPointOfARunAddsUpToItsExplanation) {
  const Folder here;
  const auto sweep = here.write("sweep.yaml",
                                "networks: [ds-cnn]\ndevices: [gap8-class, cortex-m7-class]\n"
                                "explore:\n  budget: {simulations: 400}\n  choices: {prefetch: [\"no\", \"yes\"]}\n");
  ASSERT_EQ(dse({"run", sweep, "-o", here / "out"}).exit, 0);
  const auto results = json::parse(read(here / "out/results.json"));
  int phased = 0, ahead = 0;
  for (const auto& front : results["fronts"])
    for (const auto& p : front["points"]) {
      SCOPED_TRACE(p["id"].get<std::string>());
      const bool together = p.dump().find("segment 1: ") != std::string::npos;
      const bool fetches = p["plan_in_words"].dump().find("while the layer before runs") != std::string::npos;
      if (!(together && phased < 4) && !(fetches && ahead < 4)) continue;
      phased += together, ahead += fetches;
      const auto traced = dse({"trace", here / "out", "--point", p["id"], "-o", "-"});
      ASSERT_EQ(traced.exit, 0) << traced.err;
      expect_sound_trace(traced.out, explained(here / "out", p["id"]));
      EXPECT_EQ(traced.out.find("\"by phases\"") != std::string::npos, together);
    }
  EXPECT_GT(phased, 0);
  EXPECT_GT(ahead, 0);
}

}  // namespace
}  // namespace dse::test::trace_test
