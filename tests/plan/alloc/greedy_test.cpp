#include "plan/place/greedy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/hw/device_reader.h"
#include "plan/rules/rules.h"

namespace dse::plan::greedy_test {
namespace {

nn::Tensor tensor(std::int64_t bytes, nn::TensorKind kind = nn::TensorKind::activation) {
  nn::Tensor t;
  t.shape = {bytes};
  t.kind = kind;
  return t;
}

nn::Operator op(std::vector<int> inputs, std::vector<int> outputs) {
  nn::Operator o;
  o.inputs = std::move(inputs);
  o.outputs = std::move(outputs);
  return o;
}

TEST(Greedy, PlacesTheLargestFirstAndRoundsTo16) {
  nn::Network n;  // 0 -> 2 -> 3 -> 4, with 1 a constant
  n.tensors = {tensor(40, nn::TensorKind::input), tensor(9, nn::TensorKind::constant), tensor(100), tensor(20),
               tensor(5)};
  n.operators = {op({0, 1}, {2}), op({2}, {3}), op({3, -1}, {4})};
  n.inputs = {0};
  n.outputs = {4};
  const GreedyPlan p = greedy_plan(n);
  EXPECT_EQ(p.offsets, (std::vector<std::int64_t>{112, -1, 0, 112, 0}));
  EXPECT_EQ(p.head, 112 + 48);
  EXPECT_EQ(p.first, (std::vector<int>{0, -1, 1, 2, 3}));
  EXPECT_EQ(p.last, (std::vector<int>{1, -1, 2, 3, 3}));
}

TEST(Greedy, OfEqualSizesTheHigherIndexComesFirst) {
  nn::Network n;
  n.tensors = {tensor(16, nn::TensorKind::input), tensor(16), tensor(16)};
  n.operators = {op({0}, {1}), op({0, 1}, {2})};
  n.inputs = {0};
  n.outputs = {2};
  EXPECT_EQ(greedy_plan(n).offsets, (std::vector<std::int64_t>{32, 16, 0}));
}

TEST(Greedy, FillsAGapThatIsLargeEnough) {
  nn::Network n;
  n.tensors = {tensor(64, nn::TensorKind::input), tensor(48), tensor(64), tensor(32)};
  n.operators = {op({0}, {1}), op({1}, {2}), op({1, 2}, {3})};
  n.inputs = {0};
  n.outputs = {3};
  // 2 at 0, 0 at 0 (never together), 1 above both, 3 above 1 and 2: no gap of 32 below.
  EXPECT_EQ(greedy_plan(n).offsets, (std::vector<std::int64_t>{0, 64, 0, 112}));
}

TEST(Greedy, KeepsOutputsToTheEnd) {
  nn::Network n;
  n.tensors = {tensor(16, nn::TensorKind::input), tensor(16), tensor(16), tensor(16)};
  n.operators = {op({0}, {1}), op({0}, {2}), op({2}, {3})};
  n.inputs = {0};
  n.outputs = {1, 3};
  EXPECT_EQ(greedy_plan(n).last[1], 3);
}

/// A network and what the runtime recorded of it; skips where the golden files are absent.
class GreedyGolden : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const char* shared = std::getenv("DSE_SHARED");
    const std::filesystem::path root = shared ? shared : DSE_SOURCE_DIR "/../shared";
    const std::string model = GetParam();
    std::ifstream in(root / "golden/tflite" / model / "model.json");
    if (!in) GTEST_SKIP() << "golden values are absent";
    golden = nlohmann::json::parse(in);
    network = nn::load_network((root / "models/tflite" / (model + ".tflite")).string(), diags);
  }
  nlohmann::json golden;
  Diagnostics diags;
  nn::NetworkPtr network;
};

TEST_P(GreedyGolden, EqualsTheOffsetsOfTheRuntime) {
  ASSERT_TRUE(network) << diags.text();
  const GreedyPlan plan = greedy_plan(*network);
  std::size_t planned = 0;
  for (auto o : plan.offsets) planned += o >= 0;
  EXPECT_EQ(planned, golden["greedy_plan"].size());
  for (const auto& t : golden["greedy_plan"]) {
    const std::size_t i = t["i"];
    ASSERT_LT(i, plan.offsets.size());
    EXPECT_EQ(plan.offsets[i], t["offset"].get<std::int64_t>()) << "tensor " << i;
    EXPECT_EQ(network->tensors[i].bytes(), t["bytes"].get<std::int64_t>()) << "tensor " << i;
  }
  EXPECT_EQ(plan.head, golden["arena"]["recording_head_nonpersistent"].get<std::int64_t>());
}

TEST_P(GreedyGolden, IsWhereTflmTodayPutsItsTensors) {
  const auto device = hw::read_device("cortex-m7-class", {}, diags);
  ASSERT_TRUE(network && device) << diags.text();
  const auto made = tflm_plan(*network, *device);
  ASSERT_TRUE(std::holds_alternative<Plan>(made)) << std::get<Infeasible>(made).what;
  const auto& plan = std::get<Plan>(made);
  for (const auto& t : golden["greedy_plan"]) {
    const auto name = "t" + std::to_string(t["i"].get<int>());
    const auto b =
        std::find_if(plan.buffers.begin(), plan.buffers.end(), [&](const PlacedBuffer& p) { return p.name == name; });
    ASSERT_NE(b, plan.buffers.end()) << name;
    EXPECT_EQ(b->offset, t["offset"].get<std::int64_t>()) << name;
    EXPECT_EQ(b->memory, device->io) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, GreedyGolden,
                         testing::Values("mlptiny_ad_ae_int8", "mlptiny_ic_resnet8_int8", "mlptiny_kws_dscnn_int8",
                                         "mlptiny_strww_int8", "mlptiny_vww_mbv1_0.25_96_int8",
                                         "tflm_micro_speech_int8", "tflm_person_detect_mbv1_0.25_96"),
                         [](const auto& info) {
                           std::string s = info.param;
                           for (char& c : s)
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           return s;
                         });

}  // namespace
}  // namespace dse::plan::greedy_test
