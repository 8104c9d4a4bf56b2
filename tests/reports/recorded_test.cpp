// What is written is what is read back.
#include "reports/run/recorded.h"

#include <gmock/gmock.h>

#include "reports/run/json.h"
#include "tests/reports/small_sweep.h"
#include "tests/reports/synthetic.h"

namespace dse::reports::recorded_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::string refusal(const std::string& text) {
  try {
    read_results(text);
  } catch (const RecordError& e) {
    return e.what();
  }
  return "";
}

TEST(Recorded, APointComesBackAsItWasWritten) {
  for (auto sweep : {testing::small_sweep(), testing::synthetic_sweep()}) {
    for (auto& front : sweep.fronts)
      for (auto* list : {&front.points, &front.marked})
        for (auto& p : *list) {
          const auto memories = front.memories.size();
          p.uses.assign(p.run.layers.size(), {std::vector<explore::LayerUse::Moved>(memories, {3, 4}), 5, 6});
          p.rooflines.assign(p.sections.size(), {5, 20, 3, std::vector<explore::Roofline::Port>(memories, {7, 9})});
          p.loads.assign(memories, 7), p.energies_fj.assign(memories, 8), p.images.assign(memories, 9);
          // Not read back: windows, which are written as far as they are drawn, and engines.
          p.run.engines.clear(), p.outside.clear();
          for (auto& b : p.buffers) b.windows.clear();
        }
    const auto written = results_json(sweep);
    const auto run = read_results(written.dump());
    EXPECT_EQ(run.provenance.inputs, sweep.provenance.inputs);
    for (std::size_t f = 0; f < sweep.fronts.size(); ++f) {
      const auto& document = written["fronts"][f];
      EXPECT_EQ(run.fronts[f].document, document);
      EXPECT_EQ(run.fronts[f].front.points.size(), sweep.fronts[f].points.size());
      for (const auto& point : document["points"]) {
        const auto read = read_point("p", document, point);
        EXPECT_TRUE(read.missing.empty());
        explore::Sweep again;
        again.fronts.push_back(read.front);
        again.fronts[0].points = {read.point};
        EXPECT_EQ(results_json(again)["fronts"][0]["points"][0], point);
      }
    }
  }
}

TEST(Recorded, WhatIsDamagedSaysSo) {
  EXPECT_THAT(refusal("[]"), HasSubstr("is not the results.json of a run"));
  EXPECT_THAT(refusal(R"({"format": 2, "fronts": []})"), HasSubstr("has format 2, newer than this program"));
  auto written = results_json(testing::small_sweep());
  EXPECT_EQ(refusal(written.dump()), "");
  auto front = written["fronts"][0];
  front.erase("device_hash");
  EXPECT_THROW(read_front(front), RecordError);
  written["fronts"][0]["points"][0]["memory_bytes"] = "many";
  EXPECT_THAT(refusal(written.dump()), HasSubstr("is damaged"));
}

TEST(Recorded, WhatAnOlderVersionDidNotWriteIsNamed) {
  const auto front = results_json(testing::small_sweep())["fronts"][0];
  auto point = front["points"][0];
  EXPECT_EQ(read_point("p", front, point).missing.count("assignment"), 0u);
  point.erase("assignment");
  EXPECT_EQ(read_point("p", front, point).missing.count("assignment"), 1u);
}

}  // namespace
}  // namespace dse::reports::recorded_test
