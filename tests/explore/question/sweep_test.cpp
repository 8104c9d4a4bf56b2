// Sweep files: what they mean, what is wrong with them (all at once, with places), and that writing and reading agree.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "explore/explore.h"
#include "explore/question/files/sweep_file.h"
#include "plan/plan.h"

namespace dse::explore::sweep_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const char* const full = R"(format: 1
networks: [models/kws.tflite, resnet8]
devices:
  - base: gap8-class
    axes:
      memories.l1.size: [32 KiB, 64 KiB]
      engines.cluster_dma.outstanding: [1, 8]
  - cortex-m7-class
explore:
  objectives: [memory, latency, energy]
  constraints: {latency: "<= 20 ms", memories.l2.peak: "<= 256 KiB", energy: "<= 1.5 mJ"}
  choices: {scheme: [interleaved, pixel-block], filters: [1, all], output: l2}
  budget: {simulations: 20 k, time: 1.5 s, memory: 1 GiB}
  front_points: 12
  max_calls: 2048
  without: [order, tiles]
  plans: my plan.yaml
)";

SweepSpec read(const std::string& text) {
  Diagnostics d;
  const auto s = read_sweep_text(text, "sweep.yaml", d);
  EXPECT_TRUE(s.has_value()) << d.text();
  return s.value_or(SweepSpec{});
}

std::string errors(const std::string& text) {
  Diagnostics d;
  EXPECT_FALSE(read_sweep_text(text, "sweep.yaml", d).has_value());
  return d.text();
}

void expect_full(const SweepSpec& s) {
  EXPECT_THAT(s.networks, ElementsAre("models/kws.tflite", "resnet8"));
  ASSERT_EQ(s.devices.size(), 2u);
  EXPECT_EQ(s.devices[0].base, "gap8-class");
  ASSERT_EQ(s.devices[0].axes.size(), 2u);
  EXPECT_EQ(s.devices[0].axes[0].path, "memories.l1.size");
  EXPECT_THAT(s.devices[0].axes[0].values, ElementsAre("32 KiB", "64 KiB"));
  EXPECT_THAT(s.devices[0].axes[1].values, ElementsAre("1", "8"));
  EXPECT_EQ(s.devices[1].base, "cortex-m7-class");
  EXPECT_THAT(s.objectives, ElementsAre("memory", "latency", "energy"));
  ASSERT_EQ(s.constraints.size(), 3u);
  EXPECT_EQ(s.constraints[0].metric, "latency");
  EXPECT_EQ(s.constraints[0].limit, 20000);       // microseconds
  EXPECT_EQ(s.constraints[1].limit, 256 * 1024);  // bytes
  EXPECT_EQ(s.constraints[2].limit, 1500);        // microjoules
  EXPECT_THAT(s.choices.at("scheme"), ElementsAre("interleaved", "pixel-block"));
  EXPECT_THAT(s.choices.at("filters"), ElementsAre("1", "all"));
  EXPECT_THAT(s.choices.at("output"), ElementsAre("l2"));
  EXPECT_EQ(s.simulations, 20000);
  EXPECT_EQ(s.seconds, 1.5);
  EXPECT_EQ(s.front_points, 12);
  EXPECT_EQ(s.max_calls, 2048);
  EXPECT_THAT(s.without, ElementsAre("order", "tiles"));
  EXPECT_THAT(s.plans, ElementsAre("my plan.yaml"));
}

TEST(Sweep, MeansWhatItSays) { expect_full(read(full)); }

TEST(Sweep, ReadsBackAsItWasWritten) {
  const auto text = write_sweep(read(full));
  const auto back = read(text);
  expect_full(back);
  EXPECT_EQ(write_sweep(back), text);
}

TEST(Sweep, OddNamesSurviveWriting) {
  SweepSpec s;
  s.networks = {"a: b.tflite",
                "- #1.yaml",
                "true",
                "it's \"x\"\\.yaml",
                " lead.yaml",
                "tab\tline\n",
                std::string("nul\0\x1b\x7f.yaml", 12)};
  s.devices = {{"gap8-class", {{"memories.l1.size", {std::string("\0 KiB", 5), "2 KiB"}, {}}}, {}}};
  s.constraints = {{"latency", 0.25, {}}, {"memory", 1, {}}};
  const auto back = read(write_sweep(s));
  EXPECT_EQ(back.networks, s.networks);
  EXPECT_EQ(back.devices[0].axes[0].values, s.devices[0].axes[0].values);
  EXPECT_EQ(back.constraints[0].limit, 0.25);
  EXPECT_EQ(back.constraints[1].limit, 1);
}

TEST(Sweep, AreaIsAnObjectiveAndALimit) {
  const std::string head = "networks: resnet8\ndevices: gap8-class\nexplore:\n  objectives: [latency, area]\n";
  const auto s = read(head + "  constraints: {area: \"<= 1.1 mm2\"}\n");
  EXPECT_THAT(s.objectives, ElementsAre("latency", "area"));
  ASSERT_EQ(s.constraints.size(), 1u);
  EXPECT_EQ(s.constraints[0].limit, 1.1);
  EXPECT_EQ(read(write_sweep(s)).constraints[0].limit, 1.1);
  EXPECT_EQ(read(head + "  constraints: {area: \"<= 900 um2\"}\n").constraints[0].limit, 0.0009);
  EXPECT_THAT(errors(head + "  constraints: {area: \"<= 2 KiB\"}\n"), HasSubstr("'2 KiB' is not an area"));
}

TEST(Sweep, DefaultsAreMemoryAndLatency) {
  const auto s = read("networks: resnet8\ndevices: gap8-class\n");
  EXPECT_THAT(s.objectives, ElementsAre("memory", "latency"));
  EXPECT_EQ(s.simulations, 0);
}

TEST(Sweep, EveryMistakeIsReportedAtOnceWithItsPlace) {
  const auto e = errors(
      "networks: [resnet8]\n"
      "networks: [x]\n"
      "devices:\n"
      "  - base: gap8-class\n"
      "    axis: {}\n"
      "explore:\n"
      "  objectives: [memory, latencyy, memory]\n"
      "  constraints: {latency: \"< 20 ms\", memory: \"<= 20 ms\", speed: \"<= 1 ms\"}\n"
      "  choices: {scheme: [planer], filters: [0], outpt: l2, tile: [08]}\n"
      "  budget: {simulations: 010}\n"
      "  seed: 1\n");
  EXPECT_THAT(e, HasSubstr("sweep.yaml:2:1: error: the key 'networks' is given twice"));
  EXPECT_THAT(
      e, AllOf(HasSubstr("sweep.yaml:5:5: error: devices[0]: unknown field 'axis'"), HasSubstr("did you mean axes?")));
  EXPECT_THAT(e, AllOf(HasSubstr("sweep.yaml:7:24: error: explore: no metric 'latencyy'; did you mean latency?"),
                       HasSubstr("lists 'memory' twice")));
  EXPECT_THAT(e, HasSubstr("'< 20 ms' is no limit"));
  EXPECT_THAT(e, HasSubstr("constraints.memory: '20 ms' is not a size"));
  EXPECT_THAT(e, HasSubstr("no metric 'speed'"));
  EXPECT_THAT(e, AllOf(HasSubstr("'planer' is no value of this choice; did you mean planar?"),
                       HasSubstr("interleaved, planar or pixel-block")));
  EXPECT_THAT(e, HasSubstr("explore.choices.filters: '0' is no value"));
  EXPECT_THAT(e, HasSubstr("unknown field 'outpt'"));
  EXPECT_THAT(e, HasSubstr("sweep.yaml:10:25: error: explore.budget.simulations: '010'"));
  EXPECT_THAT(e, HasSubstr("sweep.yaml:11:3: error: explore: unknown field 'seed'")) << "nothing is left to chance";
}

TEST(Sweep, ChoicesOfOneLayerStandBesideThoseOfAll) {
  const std::string text =
      "networks: resnet8\ndevices: gap8-class\nexplore:\n  choices:\n    scheme: [planar, interleaved]\n"
      "    conv3.scheme: planar\n    \"a.b: c.tile\": [4, all]\n    conv3.order: [filters-outer]\n";
  const auto s = read(text);
  EXPECT_THAT(s.choices.at("scheme"), ElementsAre("planar", "interleaved"));
  EXPECT_THAT(s.choices.at("conv3.scheme"), ElementsAre("planar"));
  EXPECT_THAT(s.choices.at("a.b: c.tile"), ElementsAre("4", "all"));
  EXPECT_EQ(s.choices_at.at("conv3.scheme").line, 6);
  const auto again = read(write_sweep(s));
  EXPECT_EQ(again.choices, s.choices);
  const auto e = errors(
      "networks: resnet8\ndevices: gap8-class\nexplore:\n  choices: {conv3.shceme: planar, conv3.scheme: planer, "
      "conv3.x: 1, .tile: 4}\n");
  EXPECT_THAT(e,
              AllOf(HasSubstr("sweep.yaml:4:13: error: explore.choices: there is no choice 'shceme' of layer 'conv3'"),
                    HasSubstr("did you mean conv3.scheme?"), HasSubstr("explore.choices.conv3.scheme: 'planer' is no"),
                    HasSubstr("there is no choice 'x' of layer 'conv3'")));
}

TEST(Sweep, TheInputOfTheWholeNetworkIsFixedToOneValue) {
  const std::string head = "networks: resnet8\ndevices: gap8-class\nexplore:\n  choices: ";
  for (const char* value : {"kept", "[kept]"}) {
    const auto s = read(head + "{network.input: " + value + ", tile: all}\n");
    EXPECT_THAT(s.choices.at("network.input"), ElementsAre("kept"));
    EXPECT_EQ(whole_of(s).input, plan::shared::Input::kept);
    EXPECT_EQ(read(write_sweep(s)).choices, s.choices);
  }
  EXPECT_EQ(whole_of(read(head + "{tile: all}\n")), plan::NetworkChoice{});
  EXPECT_THAT(
      errors(head + "{network.input: stream}\n"),
      AllOf(HasSubstr("sweep.yaml:4:28: error: explore.choices.network.input: 'stream' is no value of this choice; "
                      "did you mean streamed?"),
            HasSubstr("values are released, kept or streamed")));
  EXPECT_THAT(
      errors(head + "{network.input: [kept, released]}\n"),
      HasSubstr("sweep.yaml:4:35: error: explore.choices.network.input: all plans of a sweep treat their inputs "
                "alike: give one value"));
  EXPECT_THAT(
      errors(head + "{network.offsets: greedy}\n"),
      HasSubstr("network.input and network.order are the only choices of the whole network that a sweep can fix"));
}

TEST(Sweep, AListOfLayersIsOneOrder) {
  const std::string head = "networks: resnet8\ndevices: gap8-class\nexplore:\n  choices: {network.order: ";
  const auto orders = [&](const std::string& text) {
    const auto s = read(head + text + "}\n");
    EXPECT_EQ(read(write_sweep(s)).choices, s.choices);
    return s.choices.at("network.order");
  };
  EXPECT_THAT(orders("searched"), ElementsAre("searched"));
  EXPECT_THAT(orders("[file]"), ElementsAre("file"));
  EXPECT_THAT(orders("[stem, left, right]"), ElementsAre("stem,left,right"));
  EXPECT_THAT(orders("\"stem,left,right\""), ElementsAre("stem,left,right"));
  EXPECT_THAT(orders("[file, \"stem,left,right\"]"), ElementsAre("file", "stem,left,right"));
  EXPECT_THAT(orders("[\"a,b\", \"b,a\"]"), ElementsAre("a,b", "b,a"));
  const auto s = read(head + "[stem, left]}\n");
  ASSERT_EQ(s.values_at.at("network.order").size(), 2u);
  EXPECT_EQ(s.values_at.at("network.order")[1].column, 35);
}

TEST(Sweep, AnUnknownAxisToDoWithoutIsNamedWithTheNearest) {
  const std::string head = "networks: resnet8\ndevices: gap8-class\nexplore:\n  without: ";
  EXPECT_THAT(read(head + "order\n").without, ElementsAre("order"));
  EXPECT_THAT(errors(head + "[order, tile]\n"),
              HasSubstr("sweep.yaml:4:20: error: explore.without[1]: 'tile' is none of order, phases, in-place, tiles, "
                        "techniques, batches, buffering or prefetch; did you mean tiles?"));
}

TEST(Sweep, NewerFormatsAreRefusedByName) {
  EXPECT_THAT(errors("format: 2\nnetworks: a\ndevices: b\n"), HasSubstr("sweep.yaml:1:9"));
}

TEST(Sweep, NeedsNetworksAndDevices) {
  EXPECT_THAT(errors("explore: {}\n"),
              AllOf(HasSubstr("needs the field networks"), HasSubstr("needs the field devices")));
}

TEST(Sweep, ShippedSweepsAreSound) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(DSE_SOURCE_DIR) + "/configs/sweeps")) {
    Diagnostics d;
    EXPECT_TRUE(read_sweep(entry.path().string(), d).has_value()) << d.text();
    EXPECT_TRUE(d.empty()) << d.text();
    ++count;
  }
  EXPECT_GE(count, 2);
}

TEST(Sweep, CommittedSchemaIsUpToDate) {
  std::ifstream in(std::string(DSE_SOURCE_DIR) + "/configs/schema/sweep.json");
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_EQ(text.str(), sweep_schema()) << "dse schema sweep > configs/schema/sweep.json";
}

}  // namespace
}  // namespace dse::explore::sweep_test
