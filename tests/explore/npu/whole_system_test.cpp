// One schedule has one time: what `dse npu` says of it is what a sweep finds on the same device.
#include "explore/npu/whole_system.h"

#include <gtest/gtest.h>

#include "explore/measure/point.h"
#include "models/hw/device_reader.h"
#include "models/hw/ethos_u/of_device.h"
#include "plan/npu/program/npu_plan.h"
#include "tests/explore/npu/networks.h"
#include "tests/support/random_cases.h"

namespace dse::explore::npu::whole_system_test {
namespace {

std::vector<nn::NetworkPtr> networks() {
  std::vector<nn::NetworkPtr> out = {test::thesis_network(4, 8), test::with_between(nn::OperatorKind::elu, false),
                                     test::with_between(nn::OperatorKind::elu, true)};
  dse::test::Random random(33);
  for (int i = 0; i < 6; ++i) out.push_back(dse::test::random_network(random));
  return out;
}

/// Both answers for the rules' schedules of this network.
void expect_equal(const nn::NetworkPtr& network, const hw::DevicePtr& device, int& with_cpu) {
  const auto npu = hw::ethos_u::npu_of(*device);
  const hw::Engine& unit = device->engines[static_cast<std::size_t>(npu->engine)];
  Case c;
  c.network = network, c.device = device, c.device_label = device->name;
  for (const auto rule : {plan::npu::Optimise::performance, plan::npu::Optimise::size}) {
    auto compiled = compile(network, npu->npu, rule);
    const Simulated s = simulate(compiled);
    const SystemTime t = time_of(compiled, s, *device, unit.hand_over);
    compiled.system = npu;
    const auto made = plan::npu::npu_plan(*device, std::make_shared<const Compiled>(std::move(compiled)));
    const auto* plan = std::get_if<plan::Plan>(&made);
    if (!plan) continue;  // it does not fit
    ASSERT_EQ(t.error, "");
    const auto p = simulate_point(c, *plan, false, false);
    ASSERT_FALSE(p.run.failure) << p.run.failure->what;
    const std::int64_t hz = npu->npu.system->clock_hz;
    EXPECT_EQ(t.total, (p.run.ticks * hz + device->tick_hz() - 1) / device->tick_hz());
    EXPECT_DOUBLE_EQ(t.total_us, p.latency_us);
    EXPECT_EQ(t.active, s.pmu.active);
    EXPECT_EQ(t.hand_over, unit.hand_over * std::ssize(s.invocations));
    EXPECT_EQ(t.active + t.hand_over + t.control + t.on_cpu, t.total);
    EXPECT_GT(t.control, 0) << "each task is issued";
    EXPECT_EQ(t.on_cpu > 0, !t.cpu.empty());
    for (const auto& o : t.cpu) EXPECT_GT(o.cycles, 0);
    with_cpu += t.cpu.empty() ? 0 : 1;
  }
}

TEST(NpuSystem, TakesWhatASweepFinds) {
  const std::string folder = DSE_SOURCE_DIR "/configs/devices/";
  const std::vector<std::pair<std::string, yaml::Overrides>> points = {
      {"corstone-u55", {}},
      {"corstone-u55", {{"engines.npu.accelerator", "ethos-u55-32", {}}}},
      {"corstone-u55", {{"engines.core.clock", "250 MHz", {}}}},
      {"corstone-u55", {{"engines.core.clock", "1 GHz", {}}}},
      {"corstone-u55", {{"control.issue", "55 cycles", {}}, {"engines.npu.hand_over", "1033 cycles", {}}}},
      {"corstone-u85", {}},
      {"alif-ensemble-he", {}}};
  int with_cpu = 0;
  for (const auto& [name, overrides] : points) {
    Diagnostics d;
    const auto device = hw::read_device(folder + name + ".yaml", overrides, d);
    ASSERT_TRUE(device) << d.text();
    for (const auto& n : networks()) {
      SCOPED_TRACE(n->name + " on " + name + (overrides.empty() ? "" : ", " + overrides[0].value));
      expect_equal(n, device, with_cpu);
    }
  }
  EXPECT_GT(with_cpu, 20) << "operators of the CPU are compared too";
}

}  // namespace
}  // namespace dse::explore::npu::whole_system_test
