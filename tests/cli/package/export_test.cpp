// dse export, dse package and dse run --from-package, from outside.
#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"
#include "tests/support/shell.h"

namespace dse::test::export_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
namespace fs = std::filesystem;

const char* const kNetwork =
    "format: 1\nname: small\ninput: {shape: [1, 12, 12, 3]}\nlayers:\n"
    "  - conv: {name: stem, filters: 8, kernel: 3, stride: 2, padding: same, activation: relu}\n"
    "  - depthwise: {name: filter, kernel: 3, padding: same, activation: relu6}\n"
    "  - conv: {name: project, filters: 12, kernel: 1}\n  - average_pool: {kernel: 6}\n"
    "  - fully_connected: {units: 5}\n  - softmax: {}\n";

class Export : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    run_ = new Folder;
    const auto network = run_->write("small.yaml", kNetwork);
    const auto said = dse({"run", network, "--device", "gap8-class", "-o", *run_ / "out", "--jobs", "2"});
    ASSERT_EQ(said.exit, 0) << said.err;
  }
  static void TearDownTestSuite() { delete run_; }
  static std::string out() { return *run_ / "out"; }
  /// Exports into `name` of this test's folder.
  Said exported(const std::string& name, std::vector<std::string> more) {
    std::vector<std::string> words{"export", out(), "-o", here / name};
    words.insert(words.end(), more.begin(), more.end());
    return dse(words);
  }
  void export_well(const std::string& name, const std::vector<std::string>& more) {
    const auto said = exported(name, more);
    ASSERT_EQ(said.exit, 0) << said.err;
  }
  /// Whether this machine's kernel runs programs of 32 bits; some are built without. Emulated targets run them anyway.
  bool runs_32_bits() {
    here.write("empty.c", "int main(void) { return 0; }");
    return shell(here / "", "gcc -m32 empty.c -o empty && ./empty") != 126;
  }
  Folder here;

 private:
  static inline Folder* run_ = nullptr;
};

TEST_F(Export, BothStylesPassOnHostWithGccAndClangIn64And32Bits) {
  for (const char* style : {"interpreted", "static"}) {
    const std::string name = style;
    export_well(name, {"--style", style, "--check", "host"});
    for (const std::string compiler : {"gcc", "clang", "gcc -m32"})
      EXPECT_EQ(shell(here / name, compiler + " -std=c99 -Wall -Wextra -Wconversion -pedantic -Werror *.c -o selftest" +
                                       (compiler != "gcc -m32" || runs_32_bits() ? " && ./selftest" : "")),
                0)
          << compiler << "\n"
          << read(here / (name + "/log.txt"));
    EXPECT_EQ(shell(here / name, "cppcheck --enable=warning --std=c99 --error-exitcode=1 -q *.c"), 0)
        << read(here / (name + "/log.txt"));
  }
}

TEST_F(Export, OnlyKernelsInUseAreThere) {
  export_well("p", {});
  for (const char* file : {"conv.c", "depthwise.c", "pool.c", "softmax.c"})
    EXPECT_TRUE(fs::exists(here / (std::string("p/") + file))) << file;
  for (const char* file : {"lstm.c", "gather.c", "winograd.c", "batches.c", "binary.c", "dse_seal.c", "resize.c"})
    EXPECT_FALSE(fs::exists(here / (std::string("p/") + file))) << file;
}

TEST_F(Export, TwoPackagesGoIntoOneImage) {
  export_well("one", {"--prefix", "one", "--point", "smallest"});
  export_well("two", {"--prefix", "two", "--point", "fastest"});
  export_well("three", {"--prefix", "three", "--style", "static"});
  here.write("main.c",
             "#include \"one/one.h\"\n#include \"two/two.h\"\n#include \"three/three.h\"\n"
             "static one_runtime a;\nstatic one_port_eager ea;\nstatic two_runtime b;\nstatic two_port_eager eb;\n"
             "int main(void) {\n  one_port pa = one_make_port_eager(&ea);\n  two_port pb = two_make_port_eager(&eb);\n"
             "  return one_selftest(&a, &pa) || two_selftest(&b, &pb) || three_selftest();\n}\n");
  ASSERT_EQ(shell(here.path(),
                  "rm */main.c && cc -std=c99 -Wall -Wextra -Werror -Ione -Itwo -Ithree main.c one/*.c two/*.c "
                  "three/*.c -o all && ./all"),
            0)
      << read(here / "log.txt");
  EXPECT_EQ(shell(here.path(), "nm all | grep -i ' [TDBR] dse_'"), 1) << read(here / "log.txt");
}

TEST_F(Export, ArenasThatDoNotFitTheirMemoryDoNotCompile) {
  export_well("p", {"--style", "static"});
  const auto l1 = json::parse(read(here / "p/manifest.json"))["points"][0]["arenas"][0];
  const auto compile = [&](std::int64_t size) {
    return shell(here / "p", "cc -std=c99 -c -DDSE_MEMORY_L1_SIZE=" + std::to_string(size) + " dse_arenas.c");
  };
  const auto bytes = l1["bytes"].get<std::int64_t>();
  EXPECT_EQ(compile(bytes), 0) << read(here / "p/log.txt");
  EXPECT_NE(compile(bytes - 1), 0);
}

TEST_F(Export, AFirmwareTakesTheFastestPointThatFits) {
  export_well("p", {"--point", "smallest", "--and", "fastest"});
  const auto points = json::parse(read(here / "p/manifest.json"))["points"];
  ASSERT_EQ(points.size(), 2u);
  EXPECT_LT(points[0]["cycles"], points[1]["cycles"]);
  here.write("p/which.c",
             "#include <stdio.h>\n#include \"dse.h\"\nstatic dse_runtime rt;\nint main(void) {\n"
             "  const int e = dse_init(&rt, dse_data, DSE_DATA_BYTES, dse_arenas, DSE_ARENAS);\n"
             "  printf(\"%d %u %d\\n\", e, (unsigned)dse_point(&rt), DSE_PROMISED_CYCLES);\n  return 0;\n}\n");
  for (int point = 0; point < 2; ++point) {
    ASSERT_EQ(shell(here / "p",
                    "rm -f main.c && cc -std=c99 -DDSE_POINT=" + std::to_string(point) + " *.c -o which && ./which"),
              0)
        << read(here / "p/log.txt");
    EXPECT_EQ(read(here / "p/log.txt"),
              "0 " + std::to_string(point) + " " + points[static_cast<std::size_t>(point)]["cycles"].dump() + "\n");
  }
  const auto wrong = exported("q", {"--and", "fastest", "--style", "static", "--point", "smallest"});
  EXPECT_NE(wrong.exit, 0);
  EXPECT_THAT(wrong.err, HasSubstr("the static style has one point"));
}

TEST_F(Export, AnEncryptedPackageNeedsItsKey) {
  here.write("key", std::string(64, 'a'));
  here.write("other", std::string(64, 'b'));
  here.write("short", "abc");
  export_well("p", {"--key", here / "key", "--parity", "--check", "host"});
  const auto file = here / "p/plan.dse";
  EXPECT_THAT(dse({"package", "inspect", file}).out, AllOf(HasSubstr("encrypted"), HasSubstr("small on gap8-class")));
  EXPECT_THAT(dse({"package", "verify", file}).err, HasSubstr("is encrypted"));
  EXPECT_THAT(dse({"package", "verify", file, "--key", here / "other"}).err, HasSubstr("or the key is another one"));
  EXPECT_THAT(dse({"package", "verify", file, "--key", here / "short"}).err, HasSubstr("holds no key"));
  EXPECT_THAT(dse({"package", "verify", file, "--key", "env:DSE_NO_SUCH_KEY"}).err, HasSubstr("is not set"));
  ::setenv("DSE_TEST_KEY", std::string(64, 'a').c_str(), 1);
  EXPECT_EQ(dse({"package", "verify", file, "--key", "env:DSE_TEST_KEY"}).exit, 0);
  EXPECT_EQ(dse({"run", "--from-package", file, "--key", "env:DSE_TEST_KEY"}).exit, 0);
  const auto plain = here / "plain.dse";
  ASSERT_EQ(dse({"package", "decrypt", file, "--key", here / "key", "-o", plain}).exit, 0);
  EXPECT_EQ(dse({"package", "verify", plain}).exit, 0);
  EXPECT_THAT(read(plain), HasSubstr("PNTS"));
  EXPECT_THAT(read(file), testing::Not(HasSubstr("PNTS")));
  auto bytes = read(file);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 8);
  here.write("flipped.dse", bytes);
  const auto repaired = dse({"package", "verify", here / "flipped.dse", "--key", here / "key"});
  EXPECT_EQ(repaired.exit, 0);
  EXPECT_THAT(repaired.err, HasSubstr("1 wrong bit corrected"));
  EXPECT_NE(shell(here / "p", "cc -std=c99 *.c -o t && ./t ../other"), 0);
  EXPECT_EQ(shell(here / "p", "cc -std=c99 *.c -o t && ./t ../key"), 0) << read(here / "p/log.txt");
}

TEST_F(Export, WhatIsShippedIsSimulatedAgainAndChangesAreNoticed) {
  export_well("p", {"--point", "smallest", "--and", "knee"});
  const auto again = dse({"run", "--from-package", here / "p", "--json"});
  ASSERT_EQ(again.exit, 0) << again.err;
  const auto points = json::parse(again.out);
  const auto manifest = json::parse(read(here / "p/manifest.json"));
  ASSERT_EQ(points.size(), manifest["points"].size());
  std::map<json, json> simulated, promised;
  for (const auto& p : points) simulated[p["id"]] = p["latency_cycles"];
  for (const auto& p : manifest["points"]) promised[p["plan"]] = p["cycles"];
  EXPECT_EQ(simulated, promised);
  auto bytes = read(here / "p/plan.dse");
  bytes[bytes.size() / 2] ^= 1;
  here.write("bad.dse", bytes);
  const auto bad = dse({"run", "--from-package", here / "bad.dse"});
  EXPECT_EQ(bad.exit, 3);
  EXPECT_THAT(bad.err, HasSubstr("damaged: a CRC-32C does not match"));
  here.write("no.dse", "what is this");
  EXPECT_THAT(dse({"package", "inspect", here / "no.dse"}).err, HasSubstr("no package"));
  const auto both = dse({"run", "--from-package", here / "p", "-o", here / "x"});
  EXPECT_EQ(both.exit, 2) << both.err;
}

/// A counter that every call moves on by 10: a firmware's table of cycles by layer, which calibrate reads.
TEST_F(Export, AFirmwareCountsCyclesByLayerForCalibrate) {
  export_well("p", {"--point", "fastest"});
  here.write("p/count.c",
             "#include <stdio.h>\n#include \"dse.h\"\n#include \"dse_cycles.h\"\n"
             "static dse_runtime rt;\nstatic dse_port_eager eager;\nstatic dse_cycles cycles;\nstatic uint32_t time;\n"
             "static uint32_t now(void) { return time += 10; }\nstatic void put(const char* s) { fputs(s, stdout); }\n"
             "int main(void) {\n  dse_port port = dse_make_port_eager(&eager), counted;\n"
             "  counted = dse_make_cycles(&cycles, &port, now);\n"
             "  if (dse_selftest(&rt, &counted)) return 1;\n"
             "  dse_cycles_csv(&cycles, DSE_NETWORK \".yaml\", dse_layers, put);\n  return 0;\n}\n");
  ASSERT_EQ(shell(here / "p", "rm main.c && cc -std=c99 -Wall -Wextra -Werror *.c -o count && ./count > cycles.csv"), 0)
      << read(here / "p/log.txt");
  const auto csv = read(here / "p/cycles.csv");
  EXPECT_THAT(csv, AllOf(testing::StartsWith("network,layer,cycles\n"), HasSubstr("small.yaml,stem,"),
                         HasSubstr("small.yaml,filter,"), HasSubstr("small.yaml,project,")));
  here.write("p/small.yaml", kNetwork);
  const auto read_again = dse({"calibrate", "cortex-m7-class", "--measured", here / "p/cycles.csv", "--fit",
                               "engines.core.cycles_per_mac", "-o", here / "mine.yaml"});
  EXPECT_EQ(read_again.exit, 0) << read_again.err;
  EXPECT_THAT(read_again.out, HasSubstr("small, operator 1 (filter)"));
}

TEST_F(Export, AShippedPlanIsHeldAgainstTheNetworkOfToday) {
  here.write("key", std::string(64, 'a'));
  here.write("small.yaml", kNetwork);
  export_well("p", {});
  export_well("sealed", {"--key", here / "key"});
  const auto check = [&](const std::string& plan, std::vector<std::string> more) {
    std::vector<std::string> words{"check", here / plan, "-n", here / "small.yaml", "-d", "gap8-class"};
    words.insert(words.end(), more.begin(), more.end());
    return dse(words);
  };
  EXPECT_EQ(check("p", {}).exit, 0);
  EXPECT_EQ(check("p/plan.dse", {}).exit, 0);
  EXPECT_EQ(check("p/plan.yaml", {}).exit, 0);
  EXPECT_EQ(check("sealed/plan.dse", {"--key", here / "key"}).exit, 0);
  EXPECT_THAT(check("sealed/plan.dse", {}).err, HasSubstr("is encrypted"));
  EXPECT_EQ(check("p/plan.dse", {"--deadline", "1us"}).exit, 6);
}

TEST_F(Export, BuildFilesForProjects) {
  export_well("p", {"--prefix", "net", "--for", "zephyr", "esp-idf", "stm32cube"});
  for (const char* file : {"zephyr/module.yml", "zephyr/CMakeLists.txt", "zephyr/Kconfig", "idf_component.yml",
                           "stm32cube.mk", "memories.ld"})
    EXPECT_TRUE(fs::exists(here / (std::string("p/") + file))) << file;
  EXPECT_EQ(shell(here / "p", "cmake -S . -B b && cmake --build b && ctest --test-dir b"), 0)
      << read(here / "p/log.txt");
  // As a part of another project, for the processor that it is meant for.
  here.write("CMakeLists.txt",
             "cmake_minimum_required(VERSION 3.16)\nset(CMAKE_SYSTEM_NAME Generic)\n"
             "set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)\nset(CMAKE_C_COMPILER arm-none-eabi-gcc)\n"
             "set(CMAKE_C_FLAGS \"-mcpu=cortex-m4 -mthumb\")\nproject(firmware C)\nadd_subdirectory(p)\n"
             "add_library(firmware STATIC main.c)\ntarget_link_libraries(firmware PRIVATE net_package)\n");
  here.write("main.c", "#include \"net.h\"\nint arenas(void);\nint arenas(void) { return NET_ARENAS; }\n");
  EXPECT_EQ(shell(here.path(), "cmake -S . -B b && cmake --build b"), 0) << read(here / "log.txt");
  here.write("Makefile",
             "net_DIR = p\ninclude p/stm32cube.mk\nall:\n\tarm-none-eabi-gcc -mcpu=cortex-m4 -mthumb $(C_INCLUDES) -c "
             "$(C_SOURCES)\n");
  EXPECT_EQ(shell(here.path(), "make"), 0) << read(here / "log.txt");
}

TEST(ExportTflm, PlansTheArenaOfTheRunsNetwork) {
  const Folder here;
  const auto cell = std::string(DSE_SOURCE_DIR) + "/tests/support/branched/inception.yaml";
  ASSERT_EQ(dse({"inspect", cell, "--rewritten", "-o", here / "cell.tflite"}).exit, 0);
  const auto said = dse({"run", here / "cell.tflite", "--device", "cortex-m7-class", "--objective", "memory", "-o",
                         here / "out", "--jobs", "2"});
  ASSERT_EQ(said.exit, 0) << said.err;
  const auto exported = dse({"export", here / "out", "--point", "smallest", "--tflm", here / "planned.tflite"});
  ASSERT_EQ(exported.exit, 0) << exported.err;
  EXPECT_THAT(exported.out, HasSubstr("head of the arena 17,920 bytes, 23,040 by the runtime's own planner"));
  EXPECT_THAT(read(here / "planned.tflite.md"),
              AllOf(HasSubstr("kTensorArenaSize"), HasSubstr("| head of the arena, planned | 17,920 |"),
                    HasSubstr("Outputs are the original's, by the interpreter")));
  ASSERT_EQ(dse({"optimise-memory", here / "cell.tflite", "-o", here / "same.tflite"}).exit, 0);
  EXPECT_EQ(read(here / "planned.tflite"), read(here / "same.tflite"));
}

TEST_F(Export, WhatIsAskedWronglyIsSaid) {
  EXPECT_EQ(exported("p", {"--check", "cortex-m9"}).exit, 2);
  EXPECT_THAT(exported("p", {"--prefix", "9to5"}).err, HasSubstr("is no lower-case C identifier"));
  EXPECT_THAT(exported("p", {"--tflm", here / "x.tflite"}).err, HasSubstr("is no TensorFlow Lite file"));
  EXPECT_EQ(dse({"export", out()}).exit, 2);
  EXPECT_THAT(exported("p", {"--kernels", "cmsis-nn", "--check", "host"}).err, HasSubstr("needs the library"));
  EXPECT_THAT(exported("p", {"--kernel-library", here / "x"}).err, HasSubstr("goes with --kernels"));
  EXPECT_THAT(exported("p", {"--kernels", "cmsis-nn", "--check", "host", "--kernel-library", here / "x"}).err,
              HasSubstr("no kernels in"));
}

TEST(PackagePage, TheExampleAnswersAsThePageSays) {
  const Folder here;
  expect_page("docs/run/package.md", 7, here.path());
}

TEST(PackagePage, ThatOfALibraryToo) {
  const Folder here;
  fs::create_directory_symlink(std::string(DSE_SOURCE_DIR) + "/tests/deploy/cmsis_nn", here / "cmsis-nn");
  expect_page("docs/run/package.md", 2, here.path(), 1);
}

}  // namespace
}  // namespace dse::test::export_test
