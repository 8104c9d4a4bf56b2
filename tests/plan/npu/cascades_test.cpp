// Cascades and what the CPU runs between operations of an NPU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/hw/ethos_u/system.h"
#include "models/nn/import.h"
#include "plan/npu/program/sections.h"

namespace dse::plan::npu::cascades_test {
namespace {

/// Two convolutions one after the other; `between`: and between them in the file one of the input, whose strides no NPU
/// takes.
nn::NetworkPtr network(int extent, int filters, bool between) {
  Diagnostics d;
  auto n = nn::import_yaml(
      fmt::format(
          "format: 1\nname: n\nseed: 1\ninput: {{shape: [1, {0}, {0}, 4], scale: 0.02, zero_point: 0}}\nlayers:\n"
          "  - conv: {{name: a, filters: {1}, kernel: 3}}\n"
          "{2}"
          "  - conv: {{name: b, from: a, filters: 4, kernel: 3}}\n",
          extent, filters, between ? "  - conv: {name: between, from: input, filters: 4, kernel: 3, stride: 5}\n" : ""),
      "n.yaml", d);
  if (!n) throw std::runtime_error(d.text());
  return n;
}

TEST(NpuCascades, EndWhereTheCpuRunsSomethingSoThatSectionsFollowEachOther) {
  const auto* accelerator = hw::ethos_u::find_accelerator("ethos-u55-128");
  constexpr auto mode = hw::ethos_u::MemoryMode::shared_sram;
  const hw::ethos_u::Npu npu{accelerator, &hw::ethos_u::usual_system(*accelerator, mode), mode};
  int cascades = 0;
  for (const int extent : {32, 48, 64})
    for (const int filters : {16, 32})
      for (const bool between : {false, true}) {
        const auto compiled = compile(network(extent, filters, between), npu, Optimise::size);
        ASSERT_EQ(compiled.graph->fallbacks.size(), between ? 1u : 0u);
        int now = 0;
        for (const Section& s : sections_of(compiled)) {
          EXPECT_GE(s.first, now) << extent << " " << filters << " " << between;
          EXPECT_GT(s.end, s.first) << extent << " " << filters << " " << between;
          now = s.end;
        }
        for (const auto& f : compiled.graph->fallbacks)
          for (const auto& [last, c] : compiled.schedule.cascades)
            EXPECT_FALSE(c.first < f.before && f.before <= last) << extent << " " << filters << " " << between;
        if (!between) cascades += static_cast<int>(compiled.schedule.cascades.size());
      }
  EXPECT_GT(cascades, 0) << "where nothing stands between they are one";
}

}  // namespace
}  // namespace dse::plan::npu::cascades_test
