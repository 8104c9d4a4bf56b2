// What there is to choose on a device with an NPU are decisions about its schedule, and nothing else is taken in
// silence.
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "explore/ask/evaluate.h"
#include "explore/explore.h"
#include "models/hw/device_reader.h"
#include "models/hw/ethos_u/of_device.h"
#include "plan/npu/program/npu_choices.h"
#include "tests/explore/npu/networks.h"
#include "tests/support/random_cases.h"

namespace dse::explore::npu::choices_test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using Status = Evaluation::Status;

const std::string file = DSE_SOURCE_DIR "/configs/devices/corstone-u55.yaml";

std::string device_text() {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

hw::DevicePtr device() {
  Diagnostics d;
  return hw::read_device_text(device_text(), file, {}, d);
}

/// Every value can be said, alone; the default is what is left out; the answer has what was said.
TEST(NpuChoices, AreWhatAssignmentsMaySay) {
  dse::test::Random random(17);
  for (int i = 0; i < 4; ++i) {
    const auto network = i ? dse::test::random_network(random) : test::thesis_network(4, 8);
    const auto list = plan::npu::list_choices(network, hw::ethos_u::npu_of(*device())->npu);
    Evaluator evaluator(network, device_text(), file);
    const auto defaults = evaluator.evaluate({"{}", false});
    ASSERT_EQ(defaults.status, Status::ok);
    int said = 0;
    for (const auto& c : list) {
      EXPECT_GE(c.values.size(), 2u) << c.name;
      EXPECT_EQ(c.fallback, c.values.front());
      EXPECT_EQ(std::set(c.values.begin(), c.values.end()).size(), c.values.size()) << c.name;
      const std::size_t step = std::max<std::size_t>(1, c.values.size() / 4);  // some of many blocks
      for (std::size_t v = 0; v < c.values.size(); v += step) {
        const auto e = evaluator.evaluate({nlohmann::json{{c.name, c.values[v]}}.dump(), false});
        ASSERT_EQ(e.status, Status::ok) << c.name << " = " << c.values[v] << ": " << e.reason;
        if (v == 0) {
          EXPECT_EQ(e.plan, defaults.plan) << c.name;
        } else {
          EXPECT_EQ(e.assignment.at(c.name), c.values[v]);
          ++said;
        }
      }
    }
    EXPECT_EQ(said == 0, list.empty());
  }
}

/// And whatever a search decides is among them.
TEST(NpuChoices, AreAllThatASearchTakes) {
  dse::test::Random random(18);
  std::int64_t decided = 0;
  for (int i = 0; i < 4; ++i) {
    Case c;
    c.network = i ? dse::test::random_network(random) : test::thesis_network(8, 16);
    c.device = device(), c.device_label = c.device->name;
    std::map<std::string, std::vector<std::string>> listed;
    for (auto& choice : plan::npu::list_choices(c.network, hw::ethos_u::npu_of(*c.device)->npu))
      listed[choice.name] = choice.values;
    Diagnostics d;
    const auto sweep = explore(SweepSpec{}, {c}, {}, d);
    for (const auto& p : sweep.fronts.at(0).points) {
      if (p.origin != "front") continue;
      for (const auto& [name, value] : p.assignment) {
        ASSERT_TRUE(listed.count(name) || name == "npu.limit") << name;
        if (!name.ends_with(".block") && listed.count(name)) {  // blocks depend on how the rule cuts weights
          EXPECT_THAT(listed[name], Contains(value)) << name;
        }
        ++decided;
      }
    }
  }
  EXPECT_GT(decided, 20);
}

TEST(NpuChoices, ThatNoScheduleHasAreNotedBesideOtherDevices) {
  Diagnostics d;
  Case npu, cpu;
  npu.network = cpu.network = test::thesis_network(2, 4);
  npu.device = test::device_with_npu("ethos-u55-64"), npu.device_label = "npu";
  cpu.device = hw::read_device(DSE_SOURCE_DIR "/configs/devices/gap8-class.yaml", {}, d), cpu.device_label = "cpu";
  ASSERT_TRUE(cpu.device) << d.text();
  SweepSpec spec;
  spec.choices = {{"scheme", {"planar"}}, {"conv0.tile", {"all"}}, {"network.order", {"searched"}}};
  const auto sweep = explore(spec, {npu, cpu}, {}, d);
  EXPECT_FALSE(d.has_errors()) << d.text();
  EXPECT_FALSE(sweep.fronts.at(0).points.empty());
  for (const char* key : {"scheme", "conv0.tile"}) {
    const auto said = HasSubstr("choices." + std::string(key) + ": schedules of the NPU have no such choice");
    EXPECT_THAT(sweep.fronts.at(0).notes, Contains(said));
    EXPECT_THAT(sweep.fronts.at(1).notes, Not(Contains(said)));
  }
  EXPECT_THAT(sweep.fronts.at(0).notes, Not(Contains(HasSubstr("network.order"))));
}

}  // namespace
}  // namespace dse::explore::npu::choices_test
