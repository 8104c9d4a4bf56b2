#include "reports/npu/npu_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/index.h"
#include "models/hw/ethos_u/estimate.h"

namespace dse::reports {

std::vector<NpuRow> npu_rows(const explore::npu::Compiled& c, const explore::npu::Simulated& s) {
  std::vector<NpuRow> out;
  for (int i = 0; i < c.costs->count(); ++i) {
    const auto& o = c.costs->op(i);
    const auto& plan = c.schedule.operations[index(i)];
    if (out.empty() || out.back().source != o.source) {
      const auto& op = c.network->operators[index(o.source)];
      out.push_back({.source = o.source,
                     .name = op.name,
                     .type = nn::name_of(op.kind),
                     .pieces = {},
                     .block = {},
                     .cascade = {},
                     .operations = {}});
      out.back().block = text_of(plan.block.ofm);
      if (plan.cascade) out.back().cascade = fmt::format("to {}", c.costs->op(plan.cascade).name);
    }
    NpuRow& row = out.back();
    row.operations.push_back(i);
    const auto& t = s.operations[index(i)];
    row.cycles += t.end, row.mac_busy += t.mac_busy;
    for (std::size_t p = 0; p < 2; ++p)
      row.read_beats[p] += t.read_beats[p], row.written_beats[p] += t.written_beats[p];
    row.sram = std::max(row.sram, c.schedule.usage_at(plan.time));
    if (plan.weights) row.weights += plan.weights->bytes;
    row.macs += hw::ethos_u::estimate(c.npu, c.costs->job(i, hw::ethos_u::Area::sram), plan.block).macs;
  }
  for (NpuRow& row : out)
    if (row.operations.size() > 1) row.pieces = fmt::format("{} operations", row.operations.size()), row.block.clear();
  return out;
}

}  // namespace dse::reports
