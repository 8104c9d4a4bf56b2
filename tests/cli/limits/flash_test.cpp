// `flash`: what a run tells of a point is what a package of it says, beside what stands around weights and program; and
// nobody can search for it.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace dse::test::flash_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* kNetwork =
    "format: 1\nname: drawn\nseed: 3\ninput: {shape: [1, 9, 9, 3]}\nlayers:\n  - conv: {filters: 7, kernel: 3}\n"
    "  - depthwise: {kernel: 3}\n  - fully_connected: {units: 5}\n";

TEST(Flash, OfAPointIsThatOfItsPackage) {
  const Folder here;
  const auto network = here.write("drawn.yaml", kNetwork);
  for (const char* device : {"stm32h743", "rp2040"})
    for (const std::string kernels : {"reference", "cmsis-nn"}) {
      SCOPED_TRACE(fmt::format("{} {}", device, kernels));
      const auto out = here / fmt::format("{}-{}", device, kernels);
      const auto run = dse({"run", network, "--device", device, "--kernels", kernels, "-j", "1", "-o", out});
      ASSERT_EQ(run.exit, 0) << run.err;
      const auto points = json::parse(read(out + "/results.json")).at("fronts").at(0).at("points");
      const auto& p = points.at(points.size() - 1);
      const auto flash = p.at("metrics").at("flash").get<std::int64_t>();
      EXPECT_THAT(read(out + "/front.csv"), HasSubstr(fmt::format(",{}\n", flash)));
      const auto package = out + "-package";
      const auto exported =
          dse({"export", out, "--point", p.at("id").get<std::string>(), "--kernels", kernels, "-o", package});
      ASSERT_EQ(exported.exit, 0) << exported.err;
      const auto said = json::parse(read(package + "/manifest.json")).at("flash");
      std::int64_t most = 0;
      for (const auto& [core, bytes] : said.at("text").items()) {
        most = std::max(most, bytes.get<std::int64_t>());
        EXPECT_THAT(read(package + "/README.md"), HasSubstr(fmt::format("{} {}", core, bytes.get<std::int64_t>())));
        EXPECT_EQ(said.at("total").at(core).get<std::int64_t>() - bytes.get<std::int64_t>(),
                  said.at("constants").get<std::int64_t>() + said.at("program").get<std::int64_t>() +
                      said.at("frame").get<std::int64_t>());
      }
      EXPECT_EQ(said.at("constants").get<std::int64_t>() + said.at("program").get<std::int64_t>() + most, flash);
    }
}

TEST(Flash, IsNotToldWhereAPackageIsNoMeasure) {
  const Folder here;
  const auto network = here.write("drawn.yaml", kNetwork);
  for (const std::string device : {"corstone-u55", "gap8-class"}) {
    const auto out = here / device;
    ASSERT_EQ(dse({"run", network, "--device", device, "-j", "1", "-o", out}).exit, 0);
    for (const auto& p : json::parse(read(out + "/results.json")).at("fronts").at(0).at("points"))
      EXPECT_FALSE(p.at("metrics").contains("flash")) << device;
  }
}

TEST(Flash, IsNeitherAnObjectiveNorALimit) {
  const Folder here;
  const auto network = here.write("drawn.yaml", kNetwork);
  for (const std::vector<std::string>& asked :
       {std::vector<std::string>{"--limit", "flash=64KiB"}, {"--objective", "flash"}}) {
    std::vector<std::string> arguments{"run", network, "--device", "stm32h743", "-o", here / "out"};
    arguments.insert(arguments.end(), asked.begin(), asked.end());
    const auto run = dse(arguments);
    EXPECT_EQ(run.exit, 3);
    EXPECT_THAT(run.err, HasSubstr("flash is told of each point"));
    EXPECT_THAT(run.err, HasSubstr("memories.flash.peak"));
  }
  const auto sweep =
      here.write("sweep.yaml", fmt::format("format: 1\nnetworks: {}\ndevices: stm32h743\nexplore:\n  "
                                           "objectives: memory\n  constraints: {{flash: \"<= 64 KiB\"}}\n",
                                           network));
  const auto run = dse({"run", sweep, "-o", here / "swept"});
  EXPECT_EQ(run.exit, 3);
  EXPECT_THAT(run.err, HasSubstr("flash is told of each point"));
}

}  // namespace
}  // namespace dse::test::flash_test
