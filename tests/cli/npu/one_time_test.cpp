// One schedule has one time: dse npu says what dse run says on the same system.
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace dse::test::one_time_test {
namespace {

using nlohmann::json;
using Arguments = std::vector<std::string>;

TEST(NpuOneTime, OfEverySchedule) {
  const std::map<std::string, Arguments> systems = {
      {"corstone-u55", {"--config", "ethos-u55-128"}},
      {"corstone-u85", {"--config", "ethos-u85-256"}},
      {"alif-ensemble-he", {"--config", "ethos-u55-128", "--system-config", "Alif_He_Sram_Mram"}}};
  for (const auto& [device, system] : systems) {
    SCOPED_TRACE(device);
    const Folder here;
    const auto run = dse({"run", "ds-cnn", "--device", device, "-o", "out"}, here.path());
    ASSERT_EQ(run.exit, 0) << run.err;
    Arguments npu = {"npu", "ds-cnn", "--cpu", device, "--optimise", "pareto"};
    npu.insert(npu.end(), system.begin(), system.end());
    const auto text = dse(npu);
    npu.push_back("--json");
    const auto said = json::parse(dse(npu).out);
    std::map<std::int64_t, json> by_bytes;
    for (const auto& p : said["cells"][0]["points"]) {
      by_bytes[p["sram_bytes_used"]] = p;
      EXPECT_EQ(p["total_cycles"].get<std::int64_t>(),
                p["npu_active_cycles"].get<std::int64_t>() + p["hand_over_cycles"].get<std::int64_t>() +
                    p["control_cycles"].get<std::int64_t>() + p["cpu_cycles"].get<std::int64_t>());
    }
    int compared = 0;
    const auto results = json::parse(read(here / "out/results.json"));
    for (const auto& p : results["fronts"][0]["points"]) {
      if (p["origin"] != "front") continue;  // on the CPU alone
      const auto same = by_bytes.find(p["memory_bytes"]);
      ASSERT_NE(same, by_bytes.end()) << p["memory_bytes"];
      EXPECT_EQ(same->second["total_cycles"], p["latency_cycles"]);
      EXPECT_EQ(same->second["total_us"], p["latency_us"]);
      ++compared;
    }
    EXPECT_GE(compared, 2);
    EXPECT_EQ(text.exit, 0) << text.err;
    EXPECT_THAT(text.out, testing::HasSubstr("NPU active  cycles in all"));
  }
}

}  // namespace
}  // namespace dse::test::one_time_test
