// `ram`: what a limit on it keeps is what a package of the plan links to, to the byte, for drawn networks, kernel sets
// and cores.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "tests/cli/process.h"
#include "tests/support/shell.h"
#include "tests/support/slow.h"

namespace dse::test::ram_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::string drawn(unsigned seed) {
  std::mt19937 random(seed);
  const auto pick = [&](int lo, int hi) {
    return lo + static_cast<int>(random() % static_cast<unsigned>(hi - lo + 1));
  };
  std::string text = fmt::format("format: 1\nname: drawn\nseed: {}\ninput: {{shape: [1, {}, {}, {}]}}\nlayers:\n",
                                 pick(1, 99), pick(5, 12), pick(5, 12), pick(1, 7));
  text += fmt::format("  - conv: {{filters: {}, kernel: {}}}\n", pick(3, 19), pick(1, 3));
  if (pick(0, 1)) text += "  - depthwise: {kernel: 3}\n";
  text += fmt::format("  - conv: {{filters: {}, kernel: 1}}\n  - fully_connected: {{units: {}}}\n", pick(3, 21),
                      pick(2, 11));
  return text;
}

json points_of(const std::string& run) {
  return json::parse(read(run + "/results.json")).at("fronts").at(0).at("points");
}

/// Bytes of all variables of a firmware around the package, which keeps the stack free, compiled for a core.
std::int64_t linked(const std::string& folder, const std::string& core) {
  std::ofstream(folder + "/firmware.c")
      << "#include \"dse.h\"\ndse_runtime rt;\ndse_port_eager eager;\nuint8_t stack[DSE_STACK_BYTES];\n";
  EXPECT_EQ(shell(folder,
                  "for f in firmware.c dse_arenas.c $(ls dse_cmsis_memory.c 2>/dev/null); do arm-none-eabi-gcc -mcpu=" +
                      core +
                      " -mthumb -std=c99 -Os -Wall -Wextra -Werror -fno-common -c $f -o $f.o || exit 1; done; "
                      "arm-none-eabi-ld -r -o all.o *.c.o && arm-none-eabi-nm -P --defined-only all.o; rm -f *.c.o"),
            0)
      << text_of(folder + "/log.txt");
  std::istringstream symbols(text_of(folder + "/log.txt"));
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

/// Of the fronts of drawn networks, the ends, in packages of both kernel sets.
void expect_promises(int networks, unsigned first) {
  if (shell(".", "arm-none-eabi-gcc --version") != 0) GTEST_SKIP() << "no compiler for a target";
  const char* const cores[] = {"cortex-m4", "cortex-m33", "cortex-m55"};
  const char* const devices[] = {"stm32l4r5", "stm32h743", "nrf52840"};
  int compared = 0;
  for (unsigned seed = first; seed < first + static_cast<unsigned>(networks); ++seed) {
    const Folder here;
    const auto network = here.write("drawn.yaml", drawn(seed));
    const std::string device = devices[seed % 3];
    for (const std::string kernels : {"reference", "cmsis-nn"}) {
      SCOPED_TRACE(fmt::format("seed {} {} {}", seed, device, kernels));
      const auto out = here / kernels;
      const auto run = dse({"run", network, "--device", device, "--kernels", kernels, "--objective", "ram",
                            "--objective", "latency", "-j", "1", "-o", out});
      ASSERT_EQ(run.exit, 0) << run.err;
      const auto points = points_of(out);
      ASSERT_FALSE(points.empty());
      for (std::size_t i : {std::size_t{0}, points.size() - 1}) {
        const auto& p = points[i];
        const auto promise = p.at("metrics").at("ram").get<std::int64_t>();
        const auto package = here / fmt::format("{}-{}", kernels, i);
        if (std::filesystem::exists(package)) continue;
        const auto exported =
            dse({"export", out, "--point", p.at("id").get<std::string>(), "--kernels", kernels, "-o", package});
        ASSERT_EQ(exported.exit, 0) << exported.err;
        EXPECT_EQ(linked(package, cores[(seed + i) % 3]), promise);
        const auto manifest = json::parse(read(package + "/manifest.json"));
        EXPECT_EQ(manifest.at("points").at(0).at("ram").at("target").at("total").get<std::int64_t>(), promise);
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, 2 * networks);
}

TEST(RamLimit, WhatIsPromisedIsWhatIsLinked) { expect_promises(2, 0); }
TEST(RamLimitSlow, WhatIsPromisedIsWhatIsLinked) { expect_promises(of_slow(60), 2); }

TEST(RamLimit, KeepsItAndFindsWhatFitsToTheByte) {
  const Folder here;
  for (unsigned seed = 7; seed < 7 + static_cast<unsigned>(of_share(2)); ++seed) {
    SCOPED_TRACE(seed);
    const auto network = here.write("drawn.yaml", drawn(seed));
    const auto run = [&](const std::string& name, std::vector<std::string> more) {
      std::vector<std::string> arguments{
          "run", network, "--device", seed % 2 ? "stm32h743" : "gap8-class", "--kernels", "cmsis-nn",
          "-j",  "1",     "-o",       here / (name + std::to_string(seed))};
      arguments.insert(arguments.end(), more.begin(), more.end());
      return dse(arguments);
    };
    const auto folder = [&](const std::string& name) { return here / (name + std::to_string(seed)); };
    ASSERT_EQ(run("free", {}).exit, 0);
    std::int64_t least = INT64_MAX, besides = -1;
    for (const auto& p : points_of(folder("free"))) {
      const auto ram = p.at("metrics").at("ram").get<std::int64_t>();
      least = std::min(least, ram);
      const auto more = ram - p.at("memory_bytes").get<std::int64_t>();
      if (besides >= 0) EXPECT_EQ(more, besides) << "the same of all plans";
      besides = more;
    }
    const auto enough = run("enough", {"--limit", fmt::format("ram={}B", least)});
    ASSERT_EQ(enough.exit, 0) << enough.err;
    for (const auto& p : points_of(folder("enough"))) EXPECT_EQ(p.at("metrics").at("ram").get<std::int64_t>(), least);
    EXPECT_THAT(read(folder("enough") + "/front.csv"), HasSubstr("," + std::to_string(least) + ","));
    EXPECT_THAT(read(folder("enough") + "/sweep.yaml"), HasSubstr("kernels: cmsis-nn"));
    const auto less = run("less", {"--limit", fmt::format("ram={}B", least - 1)});
    EXPECT_EQ(less.exit, 4) << less.err;
    EXPECT_THAT(less.out + less.err, HasSubstr(fmt::format("{} bytes", least)));
    const auto none = run("none", {"--limit", fmt::format("ram={}B", besides - 1)});
    EXPECT_EQ(none.exit, 4) << none.err;
    EXPECT_THAT(none.out + none.err,
                HasSubstr(fmt::format("a package keeps {} bytes of RAM beside its arenas", besides)));
    const auto plan = points_of(folder("enough")).at(0).at("plan").get<std::string>();
    const auto check = [&](std::int64_t limit) {
      return dse({"check", folder("enough") + "/" + plan, "--network", network, "--device",
                  seed % 2 ? "stm32h743" : "gap8-class", "--kernels", "cmsis-nn", "--limit",
                  fmt::format("ram={}B", limit)})
          .exit;
    };
    EXPECT_EQ(check(least), 0);
    EXPECT_EQ(check(least - 1), 6);
  }
}

TEST(RamLimit, IsRefusedWhereAPackageIsNoMeasure) {
  const Folder here;
  const auto network = here.write("drawn.yaml", drawn(7));
  for (const std::vector<std::string>& asked : {std::vector<std::string>{"--limit", "ram=64KiB"},
                                                {"--objective", "ram"},
                                                {"--objective", "ram", "--dry-run"}}) {
    std::vector<std::string> arguments{"run", network, "--device", "corstone-u55", "-o", here / "npu"};
    arguments.insert(arguments.end(), asked.begin(), asked.end());
    const auto npu = dse(arguments);
    EXPECT_EQ(npu.exit, 3);
    EXPECT_THAT(npu.err, HasSubstr("ram: corstone-u55 has an NPU"));
  }
  EXPECT_EQ(dse({"run", network, "--device", "stm32h743", "--kernels", "none", "-o", here / "x"}).exit, 2);
}

}  // namespace
}  // namespace dse::test::ram_test
