// Objectives and limits on energy are for devices that say where their energies come from.
#include <gmock/gmock.h>

#include <filesystem>

#include "explore/question/goal.h"
#include "models/hw/device_reader.h"

namespace dse::explore::energy_source_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string kDevices = DSE_SOURCE_DIR "/configs/devices";

SweepSpec asking(bool objective) {
  SweepSpec spec;
  spec.file = "sweep.yaml";
  if (objective)
    spec.objectives = {"memory", "energy"};
  else
    spec.constraints = {{"energy", 2000, {"sweep.yaml", 7, 9}}};
  return spec;
}

std::string said_of(const SweepSpec& spec, const hw::Device& device) {
  Diagnostics d;
  check_goal(spec, device, "chip", d);
  return d.text();
}

TEST(EnergySource, WithoutItEnergyIsNoQuestionOnAnyDevice) {
  int asked = 0, refused = 0, none = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(kDevices)) {
    const auto name = file.path().string();
    if (file.path().extension() != ".yaml") continue;
    Diagnostics d;
    const auto shipped = hw::read_device(name, {}, d);
    ASSERT_TRUE(shipped) << d.text();
    auto device = *shipped;
    for (const char* source : {"", "measured"}) {
      device.energy_source = source;
      const auto objective = said_of(asking(true), device), limit = said_of(asking(false), device);
      if (*source != 0) {
        EXPECT_EQ(objective + limit, "") << name;
        ++asked;
        continue;
      }
      EXPECT_THAT(objective,
                  AllOf(HasSubstr("sweep.yaml: error: objective energy: chip "), HasSubstr("energy_source:")));
      EXPECT_THAT(limit,
                  AllOf(HasSubstr("sweep.yaml:7:9: error: constraint energy: chip "), HasSubstr("energy_source:")));
      const char* why = device.states_energies() ? "does not say where its energies come from" : "states no energies";
      EXPECT_THAT(objective, HasSubstr(why)) << name;
      EXPECT_THAT(limit, HasSubstr(why)) << name;
      ++(device.states_energies() ? refused : none);
    }
  }
  EXPECT_GT(asked, 20);
  EXPECT_GT(refused, 20);
  EXPECT_GT(none, 0);
}

TEST(EnergySource, IsNotAskedForByOtherQuestions) {
  Diagnostics d;
  const auto device = hw::read_device(kDevices + "/gap8-class.yaml", {}, d);
  ASSERT_TRUE(device) << d.text();
  EXPECT_EQ(said_of({}, *device), "");
}

}  // namespace
}  // namespace dse::explore::energy_source_test
