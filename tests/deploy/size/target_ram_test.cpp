// What is said of a target's RAM before there is a plan, and of a package, is what its compiler and linker give, to the
// byte, for drawn plans, kernel sets, styles and cores; and the stack that is counted is enough for what a plan calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "deploy/export/package.h"
#include "deploy/size/library_use.h"
#include "deploy/size/ram.h"
#include "deploy/size/stack_table.h"
#include "dse_batches.h"
#include "tests/deploy/size/drawn_plan.h"
#include "tests/support/shell.h"
#include "tests/support/slow.h"

namespace dse::target_ram_test {
namespace {

namespace fs = std::filesystem;
using deploy::KernelSet;
using test::shell;
using test::text_of;

/// A firmware of the user's, which starts at `infer`.
const char* const kFirmware =
    "#include \"dse.h\"\nint infer(void);\n#if DSE_IS_STATIC\n"
    "int infer(void) { return dse_init() != DSE_OK ? 1 : dse_run(); }\n#else\n"
    "static dse_runtime rt;\nstatic dse_port_eager eager;\nint infer(void) {\n"
    "  dse_port port = dse_make_port_eager(&eager);\n"
    "  int status = dse_init(&rt, dse_data, DSE_DATA_BYTES, dse_arenas, DSE_ARENAS);\n"
    "  DSE_ATTACH(&rt);\n  return status != DSE_OK ? status : dse_run(&rt, &port);\n}\n#endif\n";

/// Bytes of all variables of the firmware, linked for a core without what it does not use. -1: it does not link.
std::int64_t linked(const fs::path& package, const std::string& core, KernelSet kernels) {
  std::ofstream(package / "firmware.c") << kFirmware;
  const std::string library = kernels == KernelSet::cmsis_nn ? "-isystem '" DSE_CMSIS_NN
                                                               "/Include' $(find '" DSE_CMSIS_NN "/Source' -name '*.c')"
                                                             : "";
  if (shell(package,
            "rm -f main.c dse_selftest.c dse_test_vector.c dse_port_random.c; arm-none-eabi-gcc -mcpu=" + core +
                " -mthumb -std=c99 -O0 -w -ffunction-sections -fdata-sections -Wl,--gc-sections -nostartfiles "
                "--specs=nosys.specs -Wl,--no-warn-rwx-segments -Wl,-e,infer -o firmware.elf -I. *.c " +
                library) != 0 ||
      shell(package, "arm-none-eabi-nm -P firmware.elf") != 0)
    return -1;
  std::istringstream symbols(text_of(package / "log.txt"));
  std::int64_t bytes = 0;
  for (std::string line; std::getline(symbols, line);) {
    std::istringstream fields(line);
    std::string name, kind, value, size;
    fields >> name >> kind >> value >> size;
    if (kind.size() == 1 && std::string("bBdDcC").find(kind) != std::string::npos && !size.empty())
      bytes += std::stoll(size, nullptr, 16);
  }
  return bytes;
}

/// The kernel of the program that takes most stack, by the table.
std::int64_t stack_of_program(const program::Program& p, KernelSet kernels) {
  const auto row = [](const std::string& function) -> std::int64_t {
    for (const auto& r : deploy::kStackOfKernels)
      if (function == r.function) return r.bytes;
    ADD_FAILURE() << "no row of " << function;
    return 0;
  };
  std::int64_t most = 0;
  for (const dse_op& o : p.operators)
    most = std::max(most, row(deploy::kernel_of(o, kernels)) + (dse_batches_of(&o) > 0 ? row("dse_in_batches") : 0));
  return deploy::kStackOfRun + most;
}

void compare(int packages, std::uint64_t seed) {
  if (shell(".", "arm-none-eabi-gcc --version") != 0) GTEST_SKIP() << "no compiler for a target";
  const char* const cores[] = {"cortex-m4", "cortex-m33", "cortex-m55"};
  int said = 0, used = 0;
  for (int made_ones = 0; made_ones < packages && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto drawn = test::drawn_plan(seed);
    if (!drawn) continue;
    const auto& [n, d, plan, program, inputs, outputs] = *drawn;
    for (const KernelSet kernels : {KernelSet::reference, KernelSet::cmsis_nn}) {
      EXPECT_LE(stack_of_program(program, kernels), deploy::stack_of(*n, kernels));
      auto shipment = drawn->shipment(kernels);
      const bool runtime = (seed / 2 + (kernels == KernelSet::cmsis_nn)) % 3 != 0;
      if (!runtime) shipment.style = deploy::Style::statically;
      const auto folder = test::fresh_folder("target-ram");
      Diagnostics diags;
      ASSERT_TRUE(deploy::write_package(*n, *d, shipment, folder.string(), diags)) << diags.text();
      const auto ram = nlohmann::json::parse(text_of(folder / "manifest.json"))["points"][0]["ram"];
      const auto bytes = linked(folder, cores[made_ones % 3], kernels);
      ASSERT_GE(bytes, 0) << text_of(folder / "log.txt");
      // A linker leaves out what no call of the library works in.
      const std::int64_t unused =
          kernels == KernelSet::cmsis_nn && bytes < deploy::linked_objects(*n, program, kernels, runtime, 0)
              ? deploy::cmsis_ram(deploy::cmsis_memory(*n))
              : 0;
      used += kernels == KernelSet::cmsis_nn && unused == 0;
      EXPECT_EQ(bytes, deploy::linked_objects(*n, program, kernels, runtime, 0) - unused);
      if (runtime && deploy::why_no_ram(*n, *d).empty()) {
        const auto before = deploy::target_ram(*n, *d, kernels);
        const auto& target = ram.at("target");
        std::int64_t on_chip = plan::on_chip_memory(*d, plan.heights), all = 0;
        for (const auto& a : ram.at("arenas")) all += a.at("bytes").get<std::int64_t>();
        EXPECT_EQ(target.at("arenas").get<std::int64_t>(), on_chip) << "memory";
        EXPECT_EQ(target.at("total").get<std::int64_t>(), on_chip + before.besides());
        EXPECT_EQ(bytes + unused - (all - on_chip) + before.stack, target.at("total").get<std::int64_t>());
        ++said;
      } else {
        EXPECT_FALSE(ram.contains("target"));
      }
      fs::remove_all(folder);
    }
    ++made_ones;
  }
  EXPECT_GT(said, packages / 3);
  EXPECT_GT(used, packages / 4) << "packages that work with a library";
}

TEST(TargetRam, OfDrawnPackagesIsWhatIsLinked) { compare(test::of_cases(4), 0); }
TEST(TargetRamSlow, OfDrawnPackagesIsWhatIsLinked) { compare(test::of_slow(100), 1000); }

/// However a plan cuts a network, the library needs no more than is promised before there is one.
TEST(TargetRam, NoPlanNeedsMoreOfALibraryThanItsNetwork) {
  int plans = 0;
  for (std::uint64_t seed = 0; plans < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const auto n = test::random_network(random);
    const auto d = test::random_device(random);
    const auto made = plan::make_plan(*n, *d, test::random_choices(random, *n, *d));
    const auto* plan = std::get_if<plan::Plan>(&made);
    if (!plan) continue;
    const auto program = plan::lower(*n, *d, *plan);
    EXPECT_LE(deploy::cmsis_use(program).memory, deploy::cmsis_memory(*n));
    EXPECT_LE(stack_of_program(program, KernelSet::reference), deploy::stack_of(*n, KernelSet::reference));
    ++plans;
  }
}

}  // namespace
}  // namespace dse::target_ram_test
