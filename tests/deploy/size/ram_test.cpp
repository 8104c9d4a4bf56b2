// What a package promises to take of a target's RAM is what its objects take: weights stay constant data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "deploy/export/package.h"
#include "deploy/export/shipped.h"
#include "models/hw/device_reader.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/plan.h"
#include "plan/rules/rules.h"
#include "tests/deploy/shipment.h"
#include "tests/support/random_state.h"
#include "tests/support/shell.h"

namespace dse::ram_test {
namespace {

namespace fs = std::filesystem;
using test::shell;
using test::text_of;

/// Bytes of the variables (.bss and .data) of an object, and of the sections that hold them.
struct Measured {
  std::int64_t variables = 0, sections = 0;
  int count = 0;
};

Measured measure(const fs::path& folder, const std::string& object) {
  Measured m;
  EXPECT_EQ(shell(folder, "nm -P --defined-only " + object), 0);
  std::istringstream symbols(text_of(folder / "log.txt"));
  for (std::string line; std::getline(symbols, line);) {
    std::istringstream fields(line);
    std::string name, kind, value, size;
    fields >> name >> kind >> value >> size;
    if (std::string("bBdDcC").find(kind) == std::string::npos || size.empty()) continue;
    m.variables += std::stoll(size, nullptr, 16);
    ++m.count;
  }
  EXPECT_EQ(shell(folder, "size -A " + object), 0);
  std::istringstream sections(text_of(folder / "log.txt"));
  for (std::string line; std::getline(sections, line);) {
    std::istringstream fields(line);
    std::string name;
    std::int64_t size = 0;
    if (fields >> name >> size && (name.rfind(".bss", 0) == 0 || name.rfind(".data", 0) == 0)) m.sections += size;
  }
  return m;
}

/// Kernels and runtime are the same in every package: compiled once.
const fs::path& compiled() {
  static const fs::path folder = [] {
    const fs::path f = fs::path(DSE_BINARY_DIR) / "test-packages" / ("ram-lib" + std::to_string(::getpid()));
    fs::create_directories(f);
    for (const auto& file : deploy::shipped_files())
      if (file.name.find('/') == std::string_view::npos && !file.name.starts_with("main") &&
          !file.name.starts_with("dse_start") && file.name != "dse_selftest.c" && !file.name.starts_with("dse_cmsis"))
        std::ofstream(f / file.name, std::ios::binary) << file.text;
    fs::copy_file(fs::path(DSE_SOURCE_DIR) / "models/nn/kernels/dse_kernel_table.c", f / "dse_kernel_table.c",
                  fs::copy_options::overwrite_existing);
    EXPECT_EQ(shell(f,
                    "rm dse_port_random.c && "
                    "cc -std=c99 -Wall -Wextra -Werror -pedantic -Os -fno-pic -c *.c && ld -r -o all.o *.o"),
              0)
        << text_of(f / "log.txt");
    return f;
  }();
  return folder;
}

const char* const kFirmware =
    "#include <string.h>\n#include \"dse.h\"\n"
    "static dse_runtime rt;\nstatic dse_port_eager eager;\nextern const char right[DSE_RAM_BYTES == PROMISE ? 1 : "
    "-1];\n"
    "int infer(const uint8_t* image);\nint infer(const uint8_t* image) {\n"
    "  dse_port port = dse_make_port_eager(&eager);\n"
    "  int status = dse_init(&rt, dse_data, DSE_DATA_BYTES, dse_arenas, DSE_ARENAS);\n"
    "  if (status == DSE_OK) memcpy(dse_input(&rt, 0), image, dse_input_info(&rt, 0).size);\n"
    "  return status != DSE_OK ? status : dse_run(&rt, &port);\n}\n";

class Ram : public ::testing::Test {
 protected:
  /// Links a firmware around the package of a plan and compares. `in_place`: weights must not be in RAM.
  void expect_promise(const nn::Network& n, const hw::Device& d, const plan::Plan& plan, bool in_place) {
    const auto program = plan::lower(n, d, plan);
    const auto constants = plan::constants_image(n, d, plan);
    deploy::ByteVectors inputs, outputs;
    for (std::size_t i = 0; i < n.inputs.size(); ++i)
      inputs.push_back(nn::seeded_input(n.tensors[static_cast<std::size_t>(n.inputs[i])], static_cast<int>(i), 1));
    const auto truth = nn::interpret(n, inputs);
    for (const int t : n.outputs) outputs.push_back(truth[static_cast<std::size_t>(t)]);
    const fs::path folder = fs::path(DSE_BINARY_DIR) / "test-packages" / ("ram" + std::to_string(::getpid()));
    fs::remove_all(folder);
    Diagnostics diags;
    ASSERT_TRUE(
        deploy::write_package(n, d, test::shipment_of(program, constants, inputs, outputs), folder.string(), diags))
        << diags.text();
    const auto promise = nlohmann::json::parse(text_of(folder / "manifest.json"))["points"][0]["ram"];
    const auto total = promise["total"].get<std::int64_t>();
    std::ofstream(folder / "firmware.c") << kFirmware;
    ASSERT_EQ(
        shell(folder, "cc -std=c99 -Wall -Wextra -Werror -pedantic -Os -fno-pic -DPROMISE=" + std::to_string(total) +
                          " -c firmware.c dse_data.c dse_arenas.c && ld -r -o linked.o firmware.o "
                          "dse_data.o dse_arenas.o '" +
                          (compiled() / "all.o").string() + "'"),
        0)
        << text_of(folder / "log.txt");
    const auto m = measure(folder, "linked.o");
    EXPECT_EQ(m.variables, total);
    EXPECT_GE(m.sections, total);
    EXPECT_LT(m.sections, total + 32 * m.count) << "more than alignment takes";
    EXPECT_THAT(text_of(folder / "README.md"), ::testing::HasSubstr(".bss: " + std::to_string(total) + " bytes"));
    std::int64_t arenas = 0;
    for (const auto& a : promise["arenas"]) arenas += a["bytes"].get<std::int64_t>();
    if (in_place) {
      std::int64_t planned = 0;
      for (std::size_t a = 0; a < program.arenas.size(); ++a)
        if (static_cast<int>(a) != program.constants_arena) planned += program.arenas[a].size;
      EXPECT_EQ(arenas, planned) << "weights in RAM";
    } else {
      EXPECT_GE(arenas, static_cast<std::int64_t>(constants.size()));
    }
    odd_ += constants.size() % 16 != 0;
    ++made_;
    fs::remove_all(folder);
  }
  int made_ = 0, odd_ = 0;
};

TEST_F(Ram, OfRandomPlansIsAsPromised) {
  for (std::uint64_t seed = 0; made_ < 16 && !HasFatalFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const auto n = seed % 2 ? test::random_stateful_network(random) : test::random_network(random);
    const auto d = test::random_device(random);
    auto made = plan::make_plan(*n, *d, test::random_choices(random, *n, *d));
    if (const auto* p = std::get_if<plan::Plan>(&made)) expect_promise(*n, *d, *p, true);
  }
  EXPECT_GT(odd_, 4) << "constants that are no multiple of 16 bytes";
}

TEST_F(Ram, HoldsTheWeightsWhereTheyLieBesideTensors) {
  for (std::uint64_t seed = 0; made_ < 4 && !HasFatalFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const auto n = seed % 2 ? test::random_stateful_network(random) : test::random_network(random);
    auto d = std::make_shared<hw::Device>(*test::random_device(random));
    d->constants = d->io;
    const auto made = plan::rule_based_plan(*n, *d, false);
    if (const auto* p = std::get_if<plan::Plan>(&made)) expect_promise(*n, *d, *p, false);
  }
}

TEST_F(Ram, OfShippedNetworksIsAsPromised) {
  for (const char* network : {"resnet8", "ds-cnn", "mobilenet-v1-0.25-96"}) {
    Diagnostics diags;
    const auto n = nn::load_network(std::string(DSE_SOURCE_DIR) + "/configs/networks/" + network + ".yaml", diags);
    ASSERT_TRUE(n) << diags.text();
    for (const char* device : {"cortex-m7-class", "cortex-m7-camera", "gap8-class", "dsp-l1-l2-l3"}) {
      const auto d = hw::read_device(std::string(DSE_SOURCE_DIR) + "/configs/devices/" + device + ".yaml", {}, diags);
      ASSERT_TRUE(d) << diags.text();
      SCOPED_TRACE(n->name + " on " + device);
      const auto plans = {plan::tflm_plan(*n, *d), plan::rule_based_plan(*n, *d, true)};
      for (const auto& made : plans)
        if (const auto* p = std::get_if<plan::Plan>(&made)) {
          expect_promise(*n, *d, *p, d->constants != d->io);
          break;
        }
    }
  }
  EXPECT_GE(made_, 9);
}

}  // namespace
}  // namespace dse::ram_test
