#include "plan/npu/schedule/least.h"

#include <algorithm>
#include <cmath>

#include "models/hw/ethos_u/block_cycles.h"
#include "plan/npu/schedule/cascades.h"
#include "plan/npu/schedule/live.h"

namespace dse::plan::npu {

Least least_of(const Costs& costs) {
  using hw::ethos_u::Accumulator;
  Least out;
  const auto& a = costs.npu().acc();
  for (const auto& [first, last] : costs.graph().segments) {
    std::int64_t macs = 0;
    double outputs = 0;
    for (int i = first; i < last; ++i) {
      const Operation& o = costs.op(i);
      if (o.function == Function::copy) continue;
      const auto job = costs.job(i, hw::ethos_u::Npu::fast());
      macs += least_mac_cycles(a, job);
      double each = output_cycles(a, job, Accumulator::bits32);
      for (const auto other : {Accumulator::bits16, Accumulator::bits40})
        each = std::min(each, output_cycles(a, job, other));
      outputs += each * static_cast<double>(o.ofm_shape.elements());
    }
    out.cycles += std::max(macs, static_cast<std::int64_t>(std::floor(outputs)));
  }
  if (costs.npu().spills()) return out;
  for (int i = 0; i < costs.count(); ++i) {
    const Operation& o = costs.op(i);
    const auto whole = [&](int t, bool is) { return t >= 0 && is && costs.in_fast(t) ? costs.bytes(t) : 0; };
    const std::int64_t made = in_place_of(costs, i) >= 0 ? 0 : whole(o.ofm, whole_output(costs, o));
    out.bytes = std::max(out.bytes, made + whole(o.ifm, whole_input(costs, o.ifm)) +
                                        (o.ifm2 == o.ifm ? 0 : whole(o.ifm2, whole_input(costs, o.ifm2))));
  }
  return out;
}

}  // namespace dse::plan::npu
