// Lines of assignments and dry runs on a device with an NPU are about the NPU's plans.
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "explore/ask/evaluate.h"
#include "explore/dry_run.h"
#include "explore/explore.h"
#include "explore/measure/point.h"
#include "models/hw/device_reader.h"
#include "models/hw/ethos_u/of_device.h"
#include "plan/npu/program/npu_plan.h"
#include "tests/explore/npu/networks.h"
#include "tests/support/random_cases.h"

namespace dse::explore::npu::asked_test {
namespace {

using testing::HasSubstr;
using Status = Evaluation::Status;

const std::string device_file = DSE_SOURCE_DIR "/configs/devices/corstone-u55.yaml";

std::string device_text() {
  std::ifstream in(device_file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What a plan of these decisions comes to on the shipped device.
Point point_of(const nn::NetworkPtr& network, const plan::npu::Decisions& decided) {
  Diagnostics d;
  Case c;
  c.network = network, c.device = hw::read_device_text(device_text(), device_file, {}, d);
  c.device_label = c.device->name;
  auto made = plan::npu::npu_plan(network, *c.device, decided);
  return simulate_point(c, std::get<plan::Plan>(made), false, false);
}

TEST(NpuLines, AreOfTheNpusPlans) {
  dse::test::Random random(8);
  for (int i = 0; i < 4; ++i) {
    const auto network = i ? dse::test::random_network(random) : test::thesis_network(4, 8);
    Evaluator evaluator(network, device_text(), device_file, {.verify = true});
    constexpr std::int64_t kSram = 2 << 20;
    for (const auto rule : {plan::npu::Optimise::performance, plan::npu::Optimise::size}) {
      const bool usual = rule == plan::npu::Optimise::performance;
      const auto e = evaluator.evaluate({usual ? "{}" : R"({"npu.rule": "size", "npu.limit": 2097152})", false});
      ASSERT_EQ(e.status, Status::ok) << e.reason << (e.errors.empty() ? "" : e.errors[0].what);
      const Point p = point_of(network, {.rule = rule, .limit = kSram, .blocks = {}, .unstaged = {}});
      EXPECT_EQ(e.plan, p.id);
      EXPECT_EQ(e.ticks, p.run.ticks);
      EXPECT_EQ(e.memory, p.memory_bytes);
      EXPECT_EQ(e.assignment.at("npu.rule"), usual ? "performance" : "size");
      // what it answers with is a question with the same answer
      nlohmann::json again;
      for (const auto& [name, value] : e.assignment) again[name] = value;
      EXPECT_EQ(evaluator.evaluate({again.dump(), false}).plan, e.plan);
    }
  }
}

TEST(NpuLines, SayWhatIsNoDecisionOfAnNpu) {
  const auto network = test::thesis_network(4, 8);
  Evaluator evaluator(network, device_text(), device_file);
  const auto said = [&](const std::string& line) {
    const auto e = evaluator.evaluate({line, false});
    EXPECT_EQ(e.status, Status::invalid) << line;
    return e.errors.empty() ? "" : e.errors[0].what;
  };
  EXPECT_THAT(said(R"({"conv0.scheme": "planar"})"), HasSubstr("conv0.scheme"));
  EXPECT_THAT(said(R"({"npu.rule": "fast"})"), HasSubstr("there are performance and size"));
  EXPECT_THAT(said(R"({"conv7.block": "2x2x8"})"), HasSubstr("did you mean conv"));
  Evaluator lenient(network, device_text(), device_file, {.lenient = true});
  EXPECT_EQ(lenient.evaluate({R"({"conv0.scheme": "planar", "npu.rule": "size"})", false}).assignment.at("npu.rule"),
            "size");
}

TEST(NpuDryRun, CountsWhatARunThenDoes) {
  dse::test::Random random(5);
  for (int i = 0; i < 6; ++i) {
    Case c;
    c.network = i < 2 ? test::thesis_network(4 << i, 8 << i) : dse::test::random_network(random);
    c.device = test::device_with_npu(i % 2 ? "ethos-u55-32" : "ethos-u65-256"), c.device_label = c.device->name;
    SweepSpec spec;
    if (i == 4) spec.simulations = 7;
    const auto dry = dry_run(c, spec, {});
    EXPECT_TRUE(dry.on_npu);
    EXPECT_EQ(dry.infeasible, "");
    EXPECT_GE(dry.whole, static_cast<double>(dry.left));
    Diagnostics d;
    const auto sweep = explore(spec, {c}, {}, d);
    const auto simulated = sweep.fronts.at(0).simulated;
    EXPECT_LE(dry.estimated_simulations, 3 * simulated) << i;
    EXPECT_GE(3 * dry.estimated_simulations, simulated) << i;
  }
}

}  // namespace
}  // namespace dse::explore::npu::asked_test
