// Systems in files: what is read, what is refused, and that the shipped ones are those of the table.
#include "models/hw/ethos_u/system_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/hw/generated/generated.h"

namespace dse::hw::ethos_u::system_file_test {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = DSE_SOURCE_DIR;

void expect_same(const MemoryPort& a, const MemoryPort& b) {
  EXPECT_DOUBLE_EQ(a.clock_scale, b.clock_scale);
  EXPECT_EQ(a.burst, b.burst);
  EXPECT_EQ(a.read_latency, b.read_latency);
  EXPECT_EQ(a.write_latency, b.write_latency);
}

TEST(NpuSystemFile, ShippedOnesAreThoseOfTheTable) {
  for (const auto& [file, name] : {std::pair("ethos-u55-high-end-embedded", "Ethos_U55_High_End_Embedded"),
                                   std::pair("alif-ensemble-he", "Alif_He_Sram_Mram")}) {
    Diagnostics d;
    const auto read = read_system((kRoot / "configs/npu" / (std::string(file) + ".yaml")).string(), d);
    ASSERT_TRUE(read) << d.text();
    const SystemConfig& want = *find_system(name);
    EXPECT_EQ(read->config.name, file);
    EXPECT_EQ(read->config.clock_hz, want.clock_hz);
    EXPECT_EQ(read->config.second, want.second);
    expect_same(read->config.sram, want.sram);
    expect_same(read->config.second_port, want.second_port);
  }
}

TEST(NpuSystemFile, EveryMistakeIsTold) {
  Diagnostics d;
  EXPECT_FALSE(
      read_system_text("format: 1\nname: x\nclock: 100 MHz\nsram: {burst: 8 B, read_latency: 1 cycle}\n"
                       "second: {kind: mram, burst: 8 B, read_latency: 1 cycle, write_latency: 1 cycle, sahre: 1}\n",
                       "mine.yaml", d));
  EXPECT_NE(d.text().find("write_latency"), std::string::npos) << d.text();
  EXPECT_NE(d.text().find("mram"), std::string::npos) << d.text();
  EXPECT_NE(d.text().find("sahre"), std::string::npos) << d.text();
}

TEST(NpuSystemFile, SchemaAndPageAreUpToDate) {
  test::expect_up_to_date(kRoot / "configs/schema/npu.json", system_schema());
  test::expect_reference_up_to_date(kRoot / "docs/npu/system.md", system_reference());
}

}  // namespace
}  // namespace dse::hw::ethos_u::system_file_test
