// The operators of the network as rows: what their operations take, summed up.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "explore/npu/simulated.h"

namespace dse::reports {

struct NpuRow {
  int source = -1;
  std::string name, type, pieces;  // "conv0", "CONV_2D", "31 operations"
  std::int64_t cycles = 0, mac_busy = 0, macs = 0, sram = 0, weights = 0;
  std::array<std::int64_t, 2> read_beats{}, written_beats{};
  std::string block, cascade;
  std::vector<int> operations;
};

std::vector<NpuRow> npu_rows(const explore::npu::Compiled& c, const explore::npu::Simulated& s);

}  // namespace dse::reports
