// The devices that come with the tool, and how they are found by name.
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "models/hw/device_reader.h"
#include "models/hw/library.h"
#include "tests/hw/generated/generated.h"

namespace dse::hw::device_library_test {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

/// Sets DSE_CONFIGS for the time of a test.
class Configs {
 public:
  explicit Configs(const std::string& value) { ::setenv("DSE_CONFIGS", value.c_str(), 1); }
  ~Configs() { ::unsetenv("DSE_CONFIGS"); }
};

const fs::path source_configs = fs::path(DSE_SOURCE_DIR) / "configs";

const std::set<std::string> kShipped = {"alif-ensemble-e8",
                                        "alif-ensemble-he",
                                        "apollo4-plus",
                                        "apollo4-plus-reference",
                                        "apollo510",
                                        "array-45nm",
                                        "conv-units",
                                        "corstone-u55",
                                        "corstone-u85",
                                        "cortex-m7-camera",
                                        "cortex-m7-class",
                                        "dsp-l1-l2-l3",
                                        "efr32mg24",
                                        "gap8",
                                        "gap9",
                                        "gap9-ne16",
                                        "gap8-class",
                                        "mcxn947",
                                        "nrf52840",
                                        "nrf5340",
                                        "os-array-16x16",
                                        "psoc6",
                                        "ra6m4",
                                        "ra8d1",
                                        "rp2040",
                                        "rp2350",
                                        "stm32f413",
                                        "stm32f746",
                                        "stm32f746-tinyengine",
                                        "stm32f767",
                                        "stm32g474",
                                        "stm32h743",
                                        "stm32h743-reference",
                                        "stm32h7a3",
                                        "stm32l4r5",
                                        "stm32l4r5-x-cube-ai",
                                        "stm32n657",
                                        "stm32u575",
                                        "wide-sums"};

std::string text_of(const std::string& device) {
  Diagnostics d;
  return test::content(find_device(device, d).value_or(""));
}

TEST(LibraryDevices, AreThese) {
  Configs configs(source_configs.string());
  const auto names = library_devices();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()), kShipped);
}

/// A line that gives an energy or leakage and says that it is assumed.
bool assumes_energy(const std::string& line) {
  const auto comment = line.find('#');
  if (comment == line.npos || line.find("assumed", comment) == line.npos) return false;
  const auto field = line.substr(0, comment);
  return field.find("energy") != field.npos || field.find("leakage") != field.npos;
}

TEST(LibraryDevices, SayASourceOfEnergiesOnlyWhereNoneIsAssumed) {
  Configs configs(source_configs.string());
  int known = 0, assumed = 0;
  for (const auto& name : kShipped) {
    Diagnostics d;
    const auto device = read_device(name, {}, d);
    ASSERT_TRUE(device) << d.text();
    std::istringstream lines(text_of(name));
    bool any = false;
    for (std::string line; std::getline(lines, line);) any = any || assumes_energy(line);
    EXPECT_FALSE(any && device->energy_known()) << name;
    known += device->energy_known(), assumed += any;
  }
  EXPECT_GT(known, 0);
  EXPECT_GT(assumed, 20);
}

TEST(LibraryDevices, AreReadWithoutAWord) {
  Configs configs(source_configs.string());
  for (const auto& name : kShipped) {
    Diagnostics d;
    const auto device = read_device(name, {}, d);
    ASSERT_TRUE(device) << d.text();
    EXPECT_EQ(d.text(), "");
    EXPECT_EQ(device->name, name) << "a device is named as its file";
    const auto& e = device->engines[static_cast<std::size_t>(device->compute_engine())];
    EXPECT_FALSE(e.memories.empty());
    bool on_chip = false;
    for (const auto& m : device->memories) on_chip = on_chip || m.on_chip;
    EXPECT_TRUE(on_chip) << "else the objective memory is always 0";
    for (const auto& engine : device->engines) {
      if (!engine.computes() || engine.partial()) continue;
      for (const auto& key : {"add", "average_pool", "max_pool", "softmax", "copy"})
        EXPECT_TRUE(engine.cycles_per_element.count(key)) << name << " " << engine.name << " " << key;
    }
  }
}

TEST(LibraryDevices, EveryConstantSaysWhereItComesFrom) {
  for (const auto& name : kShipped) EXPECT_THAT(text_of(name), HasSubstr("assumed")) << name;
}

TEST(LibraryDevices, AreFoundByBoardAndProcessor) {
  Configs configs(source_configs.string());
  const auto file_of = [](const std::string& name) {
    Diagnostics d;
    const auto file = find_device(name, d);
    return file ? fs::path(*file).stem().string() : d.text();
  };
  EXPECT_EQ(file_of("nucleo-l4r5zi"), "stm32l4r5");
  EXPECT_EQ(file_of("NUCLEO-H743ZI"), "stm32h743");
  EXPECT_EQ(file_of("pico"), "rp2040");
  EXPECT_EQ(file_of("apollo510-evb"), "apollo510");
  EXPECT_THAT(file_of("nucleo-l4r5zo"), HasSubstr("did you mean nucleo-l4r5zi?"));
  // No name stands for two devices.
  std::map<std::string, std::string> owner;
  for (const auto& name : kShipped) {
    Diagnostics d;
    const auto device = read_device(name, {}, d);
    for (const auto& alias : device->aliases) {
      EXPECT_TRUE(owner.emplace(alias, name).second) << alias << ": " << owner[alias] << " and " << name;
      EXPECT_EQ(kShipped.count(alias), 0u) << alias;
      EXPECT_EQ(device_aliases().at(alias), name);
    }
  }
  EXPECT_GE(owner.size(), 50u);
}

TEST(LibraryDevices, TheM7TableGivesTheFittedAndTheHeldOutNetworkAsItsCommentSays) {
  Configs configs(source_configs.string());
  Diagnostics d;
  const auto device = read_device("cortex-m7-class", {}, d);
  ASSERT_TRUE(device) << d.text();
  const auto& cpu = device->engines[static_cast<std::size_t>(device->cpu())];
  const auto mac = [&](const char* key) { return cpu.cycles_per_mac.at(key).value(); };
  const auto element = [&](const char* key) { return cpu.cycles_per_element.at(key).value(); };
  // ResNet-8 of MLPerf Tiny: multiply-accumulates of its convolutions and dense layer; outputs of its adds; inputs of
  // its pool.
  const double resnet8 = 12500992 * mac("conv") + 640 * mac("fully_connected") + 28672 * element("add") +
                         4096 * element("average_pool") + 10 * element("softmax");
  // DS-CNN: 10x4 convolution and four pointwise ones; four 3x3 depthwise ones; dense layer; pool; softmax.
  const double ds_cnn = 2368000 * mac("conv") + 288000 * mac("depthwise") + 768 * mac("fully_connected") +
                        8000 * element("average_pool") + 12 * element("softmax");
  ASSERT_EQ(device->validated.size(), 2u);
  EXPECT_EQ(device->validated[0].role, "fit");
  EXPECT_NEAR(resnet8 / static_cast<double>(device->validated[0].cycles), 1, 0.01);
  EXPECT_EQ(device->validated[1].role, "held-out");
  EXPECT_NEAR(ds_cnn / static_cast<double>(device->validated[1].cycles), 1.065, 0.005);
}

TEST(LibraryDevices, TheCameraIsAllThatDistinguishesItsM7) {
  Configs configs(source_configs.string());
  Diagnostics d;
  const auto plain = read_device("cortex-m7-class", {}, d), camera = read_device("cortex-m7-camera", {}, d);
  ASSERT_TRUE(plain && camera) << d.text();
  Device without = *camera;
  EXPECT_EQ(without.memories.at(static_cast<std::size_t>(without.input_from)).name, "camera");
  without.memories.pop_back(), without.engines.erase(without.engines.begin());
  without.input_from = -1, without.control.engine = plain->control.engine;
  EXPECT_EQ(without.hash(), plain->hash());
}

TEST(DeviceLibrary, AnUnknownNameListsTheKnownOnes) {
  Configs configs(source_configs.string());
  Diagnostics d;
  EXPECT_FALSE(read_device("gap8-clas", {}, d));
  EXPECT_THAT(d.text(), testing::StartsWith("error: no device is named 'gap8-clas'; did you mean gap8-class?\n"
                                            "  hint: there is alif-ensemble-e8, alif-ensemble-he, apollo4-plus, "));
  EXPECT_THAT(d.text(), testing::EndsWith("stm32u575 or wide-sums, or give a path\n"));
}

TEST(DeviceLibrary, APathIsAPath) {
  Diagnostics d;
  EXPECT_TRUE(read_device((source_configs / "devices" / "gap8-class.yaml").string(), {}, d)) << d.text();
  EXPECT_FALSE(read_device("./none.yaml", {}, d));
  EXPECT_EQ(d.text(), "./none.yaml: error: no such file\n");
}

TEST(DeviceLibrary, TheFoldersOfTheEnvironmentGoFirst) {
  const auto mine = fs::temp_directory_path() / ("dse_configs_" + std::to_string(::getpid()));
  fs::create_directories(mine / "devices");
  auto text = test::content(source_configs / "devices" / "gap8-class.yaml");
  text.replace(text.find("size: 64 KiB"), 12, "size: 96 KiB");
  std::ofstream(mine / "devices" / "gap8-class.yaml") << text;
  std::ofstream(mine / "devices" / "mine.yaml") << text;
  {
    Configs configs(mine.string() + ":/nowhere:" + source_configs.string());
    Diagnostics d;
    EXPECT_EQ(read_device("gap8-class", {}, d)->memories[0].size, 96 * 1024);
    const auto names = library_devices();
    EXPECT_EQ(names.size(), kShipped.size() + 1);
    EXPECT_EQ(std::count(names.begin(), names.end(), "mine"), 1);
  }
  fs::remove_all(mine);
}

TEST(DeviceLibrary, NamesCannotLeaveTheFolder) {
  Diagnostics d;
  EXPECT_FALSE(find_device("..", d));
  EXPECT_FALSE(find_device("", d));
}

TEST(Generated, SchemaIsUpToDate) {
  test::expect_up_to_date(source_configs / "schema" / "device.json", device_schema());
}

TEST(Generated, ReferenceIsUpToDate) {
  test::expect_reference_up_to_date(fs::path(DSE_SOURCE_DIR) / "docs" / "run" / "device.md", device_reference());
}

/// The device that docs/run/device.md shows in full.
std::string documented_device() {
  const auto text = test::content(fs::path(DSE_SOURCE_DIR) / "docs" / "run" / "device.md");
  const std::string fence = "```yaml\n";
  const auto from = text.find(fence) + fence.size();
  return text.substr(from, text.find("```", from) - from);
}

TEST(Documentation, TheDeviceWithACameraIsOne) {
  const auto text = test::content(fs::path(DSE_SOURCE_DIR) / "docs" / "run" / "device.md");
  const std::string fence = "```yaml\n";
  const auto from = text.find(fence, text.find("**Inputs that come in.**")) + fence.size();
  Diagnostics d;
  const auto device = read_device_text(text.substr(from, text.find("```", from) - from), "camera.yaml", {}, d);
  ASSERT_TRUE(device) << d.text();
  EXPECT_EQ(device->memories.at(static_cast<std::size_t>(device->input_from)).name, "camera");
}

TEST(Documentation, TheDeviceInFullIsOne) {
  Diagnostics d;
  EXPECT_TRUE(read_device_text(documented_device(), "my-chip.yaml", {}, d));
  EXPECT_EQ(d.text(), "");
}

TEST(Documentation, TheErrorsAreThoseOfTheProgram) {
  auto text = documented_device();
  text.replace(text.find("256 KiB"), 7, "256 kb");
  text.replace(text.find("[flash"), 6, "[flsh");
  Diagnostics d;
  EXPECT_FALSE(read_device_text(text, "my-chip.yaml", {}, d));
  EXPECT_THAT(test::content(fs::path(DSE_SOURCE_DIR) / "docs" / "run" / "device.md"),
              HasSubstr("```\n" + d.text() + "```\n"));
}

}  // namespace
}  // namespace dse::hw::device_library_test
