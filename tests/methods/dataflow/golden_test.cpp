// The phases method against its reference numbers: example, tables, and independent values per method.
#include "tests/nn/golden/golden.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "methods/dataflow/buffers.h"
#include "methods/dataflow/csdf.h"
#include "methods/dataflow/from_network.h"
#include "methods/dataflow/notation.h"
#include "methods/memory/layer_order.h"
#include "methods/memory/reuse.h"
#include "tests/methods/dataflow/networks.h"

namespace dse::plan::phases::phases_golden_test {
namespace {

using nlohmann::json;

std::filesystem::path folder() { return nn::test::shared() / "golden/phases"; }

#define NEEDS_REFERENCE() \
  if (!std::filesystem::exists(folder())) GTEST_SKIP() << "no reference files: set DSE_SHARED"

TEST(PhasesGolden, RatesOfTheExample) {
  NEEDS_REFERENCE();
  const auto j = nn::test::read_json(folder() / "example.json")["example41"];
  const auto g = test::example41();
  const auto csdf = to_csdf(g, minimum_parts(g), 1);
  ASSERT_EQ(csdf.channels.size(), 6U);
  for (std::size_t c = 0; c < 4; ++c) {
    const auto& want = j["c" + std::to_string(c + 1) + std::to_string(c + 2)];
    EXPECT_EQ(json(csdf.channels[c].production), want["U"]);
    EXPECT_EQ(json(csdf.channels[c].consumption), want["V"]);
    if (c >= 2) {
      EXPECT_TRUE(want["self_loop"].is_null());
      continue;
    }
    const auto& loop = csdf.channels[4 + c];
    EXPECT_EQ(loop.from, static_cast<int>(c) + 1);
    EXPECT_EQ(loop.to, loop.from);
    EXPECT_EQ(json(loop.production), want["self_loop"]["U"]);
    EXPECT_EQ(json(loop.consumption), want["self_loop"]["V"]);
  }
}

TEST(PhasesGolden, BuffersOfTable41) {
  NEEDS_REFERENCE();
  const auto j = nn::test::read_json(folder() / "example.json")["example41"];
  const PhaseCount all{};
  const std::map<std::string, std::vector<PhaseCount>> examples{{"Ex1", {{1}, {1}, {1}, {1}, {1}}},
                                                                {"Ex2", {{2}, {2}, {1}, {1}, {1}}},
                                                                {"Ex3", {all, all, {1}, {1}, {1}}},
                                                                {"Ex4", {all, all, all, all, all}}};
  for (const auto& [name, counts] : examples) {
    const auto g = test::example41();
    std::string why;
    const auto parts = parts_of(g, counts, why);
    ASSERT_TRUE(parts) << why;
    const auto f = window_flow(g, *parts, 1);
    const auto result = least_capacity(f);
    EXPECT_TRUE(result.optimal);
    EXPECT_EQ(result.bytes, j[name]["total"].get<std::int64_t>()) << name;
    EXPECT_EQ(lower_bound(f).bytes(f), result.bytes) << name;
    std::vector<std::int64_t> bytes;
    for (std::size_t c = 0; c < f.channels.size(); ++c)
      bytes.push_back(result.buffers.tokens[c] * f.channels[c].token_bytes);
    EXPECT_EQ(json(bytes), j[name]["B"]) << name;
  }
}

TEST(PhasesGolden, WhereThePrintedRatesFail) {
  NEEDS_REFERENCE();
  const auto j = nn::test::read_json(folder() / "example.json")["networks"];
  const std::map<std::string, LayerGraph> networks{{"resnet18", test::resnet18()},
                                                   {"googlenet", test::googlenet(false)},
                                                   {"inception_v1", test::googlenet(true)},
                                                   {"tinyyolov2", test::tiny_yolo_v2()},
                                                   {"vgg19", test::vgg19()},
                                                   {"densenet121", test::densenet121()},
                                                   {"squeezenet", test::squeezenet11()}};
  for (const auto& [name, g] : networks) {
    ASSERT_EQ(defect_of(g), "") << name;
    EXPECT_EQ(static_cast<int>(g.edges.size()), j[name]["edges"].get<int>()) << name;
    const auto csdf = to_csdf(g, minimum_parts(g), 1);
    for (const auto& c : csdf.channels) {
      for (const auto u : c.production) ASSERT_GE(u, 0) << name << " " << c.name;
      for (const auto v : c.consumption) ASSERT_GE(v, 0) << name << " " << c.name;
    }
    const auto r = repetition_vector(csdf);
    ASSERT_EQ(r.why, "") << name;
    for (const auto q : r.cycles) ASSERT_EQ(q, 1) << name;
    EXPECT_TRUE(deadlock(literal_flow(csdf, r)).empty()) << name;
  }
}

/// Layers and phases of Table 4.3, which facts and reference files state alike.
struct Row {
  const char* name;
  std::int64_t layers, phases;
};
constexpr Row table43[] = {{"resnet18", 68, 1962},      {"googlenet", 143, 2630}, {"tinyyolov2", 33, 3796},
                           {"inception_v1", 143, 2494}, {"vgg19", 46, 2354},      {"densenet121", 428, 8935},
                           {"squeezenet", 66, 1870}};

TEST(PhasesTable43, LayersAndPhasesOfNetworksInCode) {
  const LayerGraph graphs[] = {test::resnet18(), test::googlenet(false), test::tiny_yolo_v2(), test::googlenet(true),
                               test::vgg19(),    test::densenet121(),    test::squeezenet11()};
  for (std::size_t i = 0; i < std::size(graphs); ++i) {
    EXPECT_EQ(graphs[i].name, table43[i].name);
    EXPECT_EQ(graphs[i].layer_count(), table43[i].layers) << graphs[i].name;
    EXPECT_EQ(minimum_parts(graphs[i]).total(graphs[i]), table43[i].phases) << graphs[i].name;
  }
}

TEST(PhasesGolden, LayersAndPhasesOfOnnxFiles) {
  NEEDS_REFERENCE();
  int read = 0;
  for (const auto& row : {Row{"inception_v1", 143, 2494}, Row{"vgg19", 46, 2354}, Row{"squeezenet", 66, 1870},
                          Row{"densenet121", 668, 13505}}) {
    const auto file = nn::test::shared() / "models/onnx" / (std::string("light_") + row.name + ".onnx");
    if (!std::filesystem::exists(file)) continue;
    Diagnostics d;
    nn::LoadOptions options;
    options.allow_float = true;
    const auto n = nn::load_network(file.string(), d, options);
    ASSERT_TRUE(n) << d.text();
    const auto g = layers_of(*n);
    EXPECT_EQ(defect_of(g), "");
    EXPECT_EQ(g.layer_count(), row.layers) << row.name;
    EXPECT_EQ(minimum_parts(g).total(g), row.phases) << row.name;
    ++read;
  }
  EXPECT_EQ(read, 4);
}

TEST(PhasesGolden, IndependentValuesPerMethod) {
  NEEDS_REFERENCE();
  std::ifstream table(folder() / "memory_1byte.csv");
  std::string line;
  std::getline(table, line);
  int rows = 0;
  while (std::getline(table, line)) {
    std::istringstream cells(line);
    std::string name, variant, cell;
    std::getline(cells, name, ','), std::getline(cells, variant, ',');
    std::vector<std::int64_t> want;
    while (std::getline(cells, cell, ',')) want.push_back(std::stoll(cell));
    ASSERT_EQ(want.size(), 13U) << line;
    auto g = name == "resnet18"     ? test::resnet18()
             : name == "tinyyolov2" ? test::tiny_yolo_v2()
             : name == "squeezenet" ? test::squeezenet11()
                                    : test::example41();
    ASSERT_EQ(g.name, name);
    if (variant == "fused") g = fuse_elementwise(g);
    SCOPED_TRACE(name + " " + variant);
    EXPECT_EQ(g.layer_count(), want[0]);
    EXPECT_EQ(static_cast<std::int64_t>(g.edges.size()), want[1]);
    const auto parts = minimum_parts(g);
    EXPECT_EQ(parts.total(g), want[2]);
    EXPECT_EQ(naive_bytes(g, 1), want[4]);
    const auto peak = least_layer_peak(g, 1);
    EXPECT_TRUE(peak.optimal);
    EXPECT_EQ(peak.bytes, want[5]);
    const auto reuse = buffer_reuse(g, 1).bytes();
    EXPECT_GE(reuse, peak.bytes);
    EXPECT_LE(reuse, want[4]);
    const auto f = window_flow(g, parts, 1);
    const auto lower = lower_bound(f).bytes(f), lazy = lazy_schedule(f).buffers.bytes(f);
    const auto result = least_capacity(f);
    EXPECT_EQ(lower, want[7]);
    EXPECT_LE(lower, result.bytes);
    EXPECT_LE(result.bytes, lazy);
    EXPECT_LE(result.bytes, want[8]) << "the reference search found less";
    EXPECT_GE(result.bytes, want[7]);
    EXPECT_LE(result.bytes, want[9]);
    EXPECT_TRUE(result.optimal);
    EXPECT_EQ(run_with(f, result.buffers).firings.size(), lazy_schedule(f).firings.size());
    ++rows;
  }
  EXPECT_EQ(rows, 8);
}

}  // namespace
}  // namespace dse::plan::phases::phases_golden_test
