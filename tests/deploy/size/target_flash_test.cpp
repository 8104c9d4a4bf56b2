// What a package says of a target's flash is what its compiler and linker give, to the byte, for drawn plans, kernel
// sets and cores: the sections of its own objects that are left without what a firmware does not use.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "deploy/export/package.h"
#include "deploy/size/flash.h"
#include "deploy/size/flash_table.h"
#include "deploy/size/ram.h"
#include "tests/deploy/size/drawn_plan.h"
#include "tests/support/shell.h"
#include "tests/support/slow.h"

namespace dse::target_flash_test {
namespace {

namespace fs = std::filesystem;
using deploy::KernelSet;
using test::shell;
using test::text_of;

/// A firmware of the user's as README.md has it, which starts at `infer`.
const char* const kFirmware =
    "#include \"dse.h\"\n#include <string.h>\nint infer(const void* image, uint8_t* result);\n"
    "static dse_runtime rt;\nstatic dse_port_eager eager;\nint infer(const void* image, uint8_t* result) {\n"
    "  dse_port port = dse_make_port_eager(&eager);\n"
    "  int status = dse_init(&rt, dse_data, DSE_DATA_BYTES, dse_arenas, DSE_ARENAS);\n"
    "  if (status == DSE_OK) memcpy(dse_input(&rt, 0), image, dse_input_info(&rt, 0).size);\n"
    "  if (status == DSE_OK) status = dse_run(&rt, &port);\n"
    "  if (status == DSE_OK) *result = *dse_output(&rt, 0);\n  return status;\n}\n";

/// What does not change from package to package is compiled once for a core: $1 the flags, $2 a folder for it.
const char* const kCompile =
    "for f in *.c; do o=${f%.c}.ours.o; if cmp -s $f $2/$f; then cp $2/$f.o $o; else "
    "arm-none-eabi-gcc $1 -I. -isystem '" DSE_CMSIS_NN
    "/Include' -c $f -o $o || exit 1; grep -q '\"dse.h\"' $f || { cp $o $2/$f.o; cp $f $2/$f; }; fi; done; "
    "mv firmware.ours.o firmware.o\n"
    "[ -e $2/library.a ] || { mkdir $2/library; for f in $(find '" DSE_CMSIS_NN
    "/Source' -name '*.c'); do arm-none-eabi-gcc $1 -std=gnu11 -w -isystem '" DSE_CMSIS_NN
    "/Include' -c $f -o $2/library/$(basename $f).o || exit 1; done; arm-none-eabi-ar rcs $2/library.a "
    "$2/library/*.o; }\n"
    "arm-none-eabi-gcc $1 -Wl,--gc-sections -nostartfiles --specs=nosys.specs -Wl,--no-warn-rwx-segments -Wl,-e,infer "
    "-Wl,-Map=firmware.map -o firmware.elf *.o $2/library.a\n";

/// Bytes of code and constants of the package's own objects that are in the image. -1: it does not link.
std::int64_t linked(const fs::path& package, const deploy::FlashCore& core, const fs::path& made_before) {
  std::ofstream(package / "firmware.c") << kFirmware;
  std::ofstream(package / "compile.sh") << kCompile;
  fs::create_directories(made_before / core.name);
  if (shell(package, fmt::format("rm -f main.c dse_selftest.c dse_test_vector.c dse_port_random.c; sh compile.sh '{}' "
                                 "'{}'",
                                 core.flags, (made_before / core.name).string())) != 0)
    return -1;
  const auto map = text_of(package / "firmware.map");
  const auto begin = map.find("Linker script and memory map");
  if (begin == std::string::npos) return -1;
  static const std::regex section(R"(\n \.(?:text|rodata)\S*\s+0x[0-9a-f]+\s+0x([0-9a-f]+) \S*\.ours\.o)");
  std::int64_t bytes = 0;
  for (auto at = std::sregex_iterator(map.begin() + static_cast<std::ptrdiff_t>(begin), map.end(), section);
       at != std::sregex_iterator(); ++at)
    bytes += std::stoll((*at)[1], nullptr, 16);
  return bytes;
}

void compare(int packages, std::uint64_t seed) {
  if (shell(".", "arm-none-eabi-gcc --version") != 0) GTEST_SKIP() << "no compiler for a target";
  if (text_of("log.txt").find(deploy::flash_compiler()) == std::string::npos)
    GTEST_SKIP() << "the table is of another compiler";
  const auto made_before = test::fresh_folder("target-flash-objects");
  int compared = 0;
  std::set<std::int64_t> texts;
  for (; compared < packages && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto drawn = test::drawn_plan(seed);
    if (!drawn || !deploy::why_no_ram(*drawn->network, *drawn->device).empty()) continue;
    const auto shipment = drawn->shipment(static_cast<KernelSet>(compared % 3));
    const auto folder = test::fresh_folder("target-flash");
    Diagnostics diags;
    ASSERT_TRUE(deploy::write_package(*drawn->network, *drawn->device, shipment, folder.string(), diags))
        << diags.text();
    const auto flash = nlohmann::json::parse(text_of(folder / "manifest.json")).at("flash");
    const auto& core = deploy::kFlashCores[compared % std::size(deploy::kFlashCores)];
    const auto bytes = linked(folder, core, made_before);
    ASSERT_GE(bytes, 0) << text_of(folder / "log.txt");
    EXPECT_EQ(bytes, flash.at("total").at(core.name).get<std::int64_t>()) << core.name << "\n" << flash.dump(1);
    EXPECT_EQ(flash.at("constants").get<std::int64_t>(), std::ssize(shipment.points[0].constants));
    texts.insert(flash.at("text").at(core.name).get<std::int64_t>());
    fs::remove_all(folder);
    ++compared;
  }
  EXPECT_GT(texts.size(), static_cast<std::size_t>(packages) / 2) << "packages that are told apart";
  fs::remove_all(made_before);
}

TEST(TargetFlash, OfDrawnPackagesIsWhatIsLinked) { compare(test::of_cases(2), 0); }
TEST(TargetFlashSlow, OfDrawnPackagesIsWhatIsLinked) { compare(test::of_slow(200), 1000); }

TEST(TargetFlash, EveryKernelHasItsBytesOnEveryCore) {
  for (std::size_t core = 0; core < std::size(deploy::kFlashCores); ++core)
    for (std::size_t root = 0; root < std::size(deploy::kFlashRoots); ++root) {
      std::int64_t bytes = 0;
      for (const auto& row : deploy::kFlashRows)
        if (row.core == static_cast<int>(core) && row.roots >> root & 1) bytes += row.bytes;
      EXPECT_GT(bytes, 100) << deploy::kFlashCores[core].name << " " << deploy::kFlashRoots[root];
    }
}

}  // namespace
}  // namespace dse::target_flash_test
