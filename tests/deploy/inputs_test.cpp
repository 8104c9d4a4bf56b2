// Packages whose inputs are kept or streamed in: where the caller finds them, and what is left of them.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "deploy/export/package.h"
#include "dse_port_eager.h"
#include "models/hw/device_reader.h"
#include "plan/lower/lower.h"
#include "plan/plan.h"
#include "plan/rules/rules.h"
#include "program/encoding.h"
#include "tests/deploy/shipment.h"
#include "tests/support/shell.h"

namespace dse::deploy_inputs_test {
namespace {

namespace fs = std::filesystem;
using plan::shared::Input;
using test::shell;
using test::text_of;
using ::testing::HasSubstr;

struct Packed {
  nn::NetworkPtr network;
  hw::DevicePtr device;
  program::Program program;
  deploy::PackageFiles files;
};

Packed packed(const std::string& name, Input mode) {
  Packed p;
  Diagnostics diags;
  p.network = nn::load_network(std::string(DSE_SOURCE_DIR) + "/configs/networks/" + name + ".yaml", diags);
  p.device = hw::read_device(DSE_SOURCE_DIR "/configs/devices/cortex-m7-camera.yaml", {}, diags);
  ensure(p.network && p.device, diags.text());
  const auto plan = std::get<plan::Plan>(plan::tflm_plan(*p.network, *p.device, mode));
  p.program = plan::lower(*p.network, *p.device, plan);
  p.files.plan = program::encode(p.program);
  p.files.constants = plan::constants_image(*p.network, *p.device, plan);
  p.files.inputs = {nn::seeded_input(p.network->tensors[static_cast<std::size_t>(p.network->inputs[0])], 0, 5)};
  const auto truth = nn::interpret(*p.network, p.files.inputs);
  for (const int t : p.network->outputs) p.files.outputs.push_back(truth[static_cast<std::size_t>(t)]);
  return p;
}

/// The package in arenas of the caller's own.
struct Bound {
  explicit Bound(const Packed& p) : files(p.files) {
    status = dse_open(&rt, files.plan.data(), static_cast<std::uint32_t>(files.plan.size()));
    arenas = test::ArenaMemory(rt);
    if (status == DSE_OK) status = dse_bind(&rt, arenas->data(), arenas->count(), files.constants.data());
  }
  void give() { std::copy(files.inputs[0].begin(), files.inputs[0].end(), dse_input(&rt, 0)); }
  std::vector<std::uint8_t> run() {
    dse_port port = dse_make_port_eager(&eager);
    status = dse_run(&rt, &port);
    const auto* out = dse_output(&rt, 0);
    return {out, out + dse_output_info(&rt, 0).size};
  }
  bool input_is_there() const { return std::equal(files.inputs[0].begin(), files.inputs[0].end(), dse_input(&rt, 0)); }
  deploy::PackageFiles files;
  std::optional<test::ArenaMemory> arenas;
  dse_runtime rt{};
  dse_port_eager eager{};
  int status = 0;
};

class Packages : public ::testing::TestWithParam<const char*> {};

TEST_P(Packages, ComputeTheSameThroughAllPorts) {
  for (const auto mode : {Input::released, Input::kept, Input::streamed}) {
    const auto p = packed(GetParam(), mode);
    Diagnostics diags;
    EXPECT_TRUE(deploy::verify_package(p.files, 5, 1, plan::name_of(mode), diags)) << diags.text();
  }
}

TEST_P(Packages, LeaveAKeptInputForTheNextRun) {
  Bound kept(packed(GetParam(), Input::kept)), released(packed(GetParam(), Input::released));
  for (Bound* b : {&kept, &released}) {
    ASSERT_EQ(b->status, DSE_OK);
    b->give();
    EXPECT_EQ(b->run(), b->files.outputs[0]);
    EXPECT_EQ(b->status, DSE_OK);
  }
  EXPECT_TRUE(kept.input_is_there());
  EXPECT_FALSE(released.input_is_there());
  EXPECT_EQ(kept.run(), kept.files.outputs[0]) << "with the input of the run before";
}

TEST_P(Packages, ReadAStreamedInputWhereTheCallerHasIt) {
  const auto p = packed(GetParam(), Input::streamed);
  Bound b(p);
  ASSERT_EQ(b.status, DSE_OK);
  const auto info = dse_input_info(&b.rt, 0);
  EXPECT_EQ(p.program.arenas[info.arena].name, "camera");
  EXPECT_EQ(dse_input(&b.rt, 0), (*b.arenas)[info.arena].base + info.offset);
  EXPECT_EQ((*b.arenas)[info.arena].size, b.files.inputs[0].size()) << "nothing else lies there";
  b.give();
  EXPECT_EQ(b.run(), b.files.outputs[0]);
  EXPECT_TRUE(b.input_is_there()) << "nothing writes what comes from outside";
}

INSTANTIATE_TEST_SUITE_P(Networks, Packages, ::testing::Values("resnet8", "mobilenet-v1-0.25-96"));

TEST(PackageFolder, SaysWhereInputsAreExpectedAndTakesAnArenaThatIsThere) {
  for (const auto mode : {Input::released, Input::kept, Input::streamed}) {
    const auto p = packed("resnet8", mode);
    const std::string name = plan::name_of(mode);
    const fs::path folder =
        fs::path(DSE_BINARY_DIR) / "test-packages" / ("inputs_" + name + std::to_string(::getpid()));
    fs::remove_all(folder);
    Diagnostics diags;
    ASSERT_TRUE(deploy::write_package(*p.network, *p.device,
                                      test::shipment_of(p.program, p.files.constants, p.files.inputs, p.files.outputs),
                                      folder.string(), diags))
        << diags.text();
    const auto manifest = nlohmann::json::parse(text_of(folder / "manifest.json"))["points"][0];
    ASSERT_EQ(manifest["inputs"].size(), 1u);
    const auto& input = manifest["inputs"][0];
    EXPECT_EQ(input["mode"], name);
    EXPECT_EQ(input["arena"], mode == Input::streamed ? "camera" : "sram");
    EXPECT_EQ(input["bytes"], 3072);
    EXPECT_EQ(manifest["outputs"][0]["arena"], "sram");
    EXPECT_FALSE(manifest["outputs"][0].contains("mode"));
    EXPECT_THAT(text_of(folder / "README.md"), HasSubstr(name + ": "));
    const auto arena = std::to_string(p.program.inputs[0].arena);
    EXPECT_THAT(text_of(folder / "dse.h"), HasSubstr("#define DSE_INPUT_0_ARENA " + arena));
    if (mode == Input::streamed) {
      std::ofstream(folder / "frame.h") << "extern unsigned char frame[];\n";
      std::ofstream(folder / "frame.c") << "unsigned char frame[3072];\n";
      EXPECT_EQ(shell(folder,
                      "cc -std=c99 -Wall -Wextra -Werror -pedantic -O2 -include frame.h -DDSE_MEMORY_CAMERA"
                      "_ADDRESS=frame *.c -o selftest && nm selftest | grep -c ' frame$'"),
                0)
          << text_of(folder / "log.txt");
      EXPECT_EQ(shell(folder, "./selftest"), 0) << text_of(folder / "log.txt");
      EXPECT_THAT(text_of(folder / "log.txt"), HasSubstr("23 runs, 0 failures"));
    }
    fs::remove_all(folder);
  }
}

}  // namespace
}  // namespace dse::deploy_inputs_test
