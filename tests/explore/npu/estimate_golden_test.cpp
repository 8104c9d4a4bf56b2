// Arm's compiler, row by row: block configurations, coded weights, cycles of every operation, totals and memory of
// every schedule.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/csv.h"
#include "explore/npu/simulated.h"
#include "plan/npu/schedule/network_estimate.h"
#include "tests/explore/npu/vela_rows.h"
#include "tests/nn/golden/golden.h"

namespace dse::explore::npu::estimate_golden_test {
namespace {

using namespace plan::npu;
using test::Row;
using test::rows_of;

nn::NetworkPtr network(const std::string& name) {
  Diagnostics d;
  auto n = nn::load_network((nn::test::shared() / "models/tflite" / (name + ".tflite")).string(), d);
  EXPECT_TRUE(n) << d.text();
  return n;
}

Compiled compiled(const nn::NetworkPtr& n, const std::string& accelerator, const std::string& system,
                  const std::string& mode, Optimise o) {
  hw::ethos_u::Npu npu{hw::ethos_u::find_accelerator(accelerator), hw::ethos_u::find_system(system),
                       *hw::ethos_u::find_memory_mode(mode)};
  if (npu.spills()) npu.arena_limit = 384 * 1024;
  return compile(n, npu, o);
}

bool is_there(const char* what) { return std::filesystem::exists(nn::test::shared() / what); }

TEST(NpuEstimateGolden, EveryScheduleOfVela310) {
  if (!is_there("golden/ethos_u")) GTEST_SKIP() << "no golden files";
  std::map<std::string, nn::NetworkPtr> networks;
  int rows = 0;
  for (const Row& r : rows_of(nn::test::shared() / "golden/ethos_u/vela310.csv")) {
    auto& n = networks[r.at("model")];
    if (!n) n = network(r.at("model"));
    const Compiled c = compiled(n, r.at("accel"), r.at("system_config"), r.at("memory_mode"),
                                r.at("optimise") == "Size" ? Optimise::size : Optimise::performance);
    const NetworkEstimate e = estimate_network(*c.costs, c.schedule);
    const std::string where = r.at("model") + " " + r.at("accel") + " " + r.at("memory_mode") + " " + r.at("optimise");
    EXPECT_NEAR(e.sum.total / std::stod(r.at("cycles_total")), 1, 1e-9) << where;
    EXPECT_NEAR(e.sum.npu / std::stod(r.at("cycles_npu")), 1, 1e-9) << where;
    EXPECT_NEAR(static_cast<double>(c.schedule.peak()) / 1024, std::stod(r.at("sram_memory_used_KiB")), 0.02) << where;
    EXPECT_EQ(e.coded_weights, std::stoll(r.at("total_npu_encoded_weights"))) << where;
    ++rows;
  }
  EXPECT_EQ(rows, 157);
}

TEST(NpuEstimateGolden, EveryOperationOfVela310) {
  if (!is_there("golden/ethos_u")) GTEST_SKIP() << "no golden files";
  std::map<std::string, std::vector<Row>> blocks;
  for (Row& r : rows_of(nn::test::shared() / "golden/ethos_u/blocks.csv"))
    blocks[r.at("model") + " " + r.at("accel")].push_back(std::move(r));
  int compared = 0, weights = 0;
  for (const auto& file : std::filesystem::directory_iterator(nn::test::shared() / "golden/ethos_u/per_layer")) {
    const std::string name = file.path().stem().string(), model = name.substr(0, name.find("__"));
    const std::string rest = name.substr(model.size() + 2), accelerator = rest.substr(0, rest.find("__"));
    if (model == "tflm_keyword_scrambled_8bit") continue;  // a file of several parts
    const Compiled c =
        compiled(network(model), accelerator, "Ethos_U55_High_End_Embedded", "Shared_Sram", Optimise::performance);
    const NetworkEstimate e = estimate_network(*c.costs, c.schedule);
    const auto layers = rows_of(file.path());
    const auto& shapes = blocks[model + " " + accelerator];
    ASSERT_EQ(layers.size(), e.operations.size()) << name;
    ASSERT_EQ(shapes.size(), e.operations.size()) << name;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const std::string where = name + " operation " + std::to_string(i);
      EXPECT_NEAR(e.operations[i].npu, std::stod(layers[i].at("NPU")), 1e-6) << where;
      EXPECT_NEAR(e.operations[i].total, std::stod(layers[i].at("Op Cycles")), 1e-6) << where;
      EXPECT_EQ(e.operations[i].macs, std::stoll(layers[i].at("MAC Count"))) << where;
      ++compared;
      const OperationPlan& p = c.schedule.operations[i];
      if (c.costs->op(static_cast<int>(i)).function == Function::copy) continue;
      const auto& b = p.block;
      EXPECT_EQ(std::to_string(b.ofm.h) + "," + std::to_string(b.ofm.w) + "," + std::to_string(b.ifm.c) + "," +
                    std::to_string(b.ofm.c),
                shapes[i].at("block_h_w_ifmdepth_ofmdepth"))
          << where;
      if (const std::string bytes = shapes[i].at("encoded_weight_bytes"); bytes != "None" && !bytes.empty()) {
        EXPECT_EQ(p.weights->bytes, std::stoll(bytes)) << where;
        ++weights;
      }
    }
  }
  EXPECT_GE(compared, 2400);
  EXPECT_GE(weights, 900);
}

}  // namespace
}  // namespace dse::explore::npu::estimate_golden_test
