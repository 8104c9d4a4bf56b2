#include "plan/npu/schedule/network_estimate.h"

#include <algorithm>
#include <set>

#include "base/index.h"
#include "base/units.h"

namespace dse::plan::npu {
namespace {

using namespace hw::ethos_u;

class OneOperation {
 public:
  OneOperation(const Costs& costs, const Schedule& s, int i)
      : costs_(costs),
        npu_(costs.npu()),
        op_(costs.op(i)),
        plan_(s.operations[index(i)]),
        before_(i > 0 ? &s.operations[index(i) - 1] : nullptr),
        weights_in_(plan_.staging == WeightStaging::none ? npu_.constants() : Npu::fast()),
        job_(costs.job(i, weights_in_)) {
    out_.usage = s.usage_at(plan_.time);
  }

  OperationEstimate run() && {
    const Estimate e = estimate(npu_, job_, plan_.block);
    out_.macs = e.macs;
    out_.npu = with_transfers(static_cast<double>(e.cycles));
    const Accesses a = accesses(job_, plan_.block);
    moves(job_.ofm, costs_.area(op_.ofm), a.ofm, plan_.block.ofm, false);
    moves(job_.ifm, costs_.area(op_.ifm), a.ifm, plan_.block.ifm, true);
    if (job_.ifm2) moves(*job_.ifm2, costs_.area(op_.ifm2), a.ifm2, plan_.block.ifm, true);
    if (a.weights > 0) {
      const double ratio = static_cast<double>(plan_.weights->bytes - a.scales * kScaleBytes) /
                           static_cast<double>(op_.weights->values.size());
      reads_weights(static_cast<double>(a.weights) * ratio);
      reads_weights(static_cast<double>(a.scales * kScaleBytes));
    }
    out_.total = out_.npu;
    for (int area = 0; area < static_cast<int>(Area::shram); ++area)
      out_.total = std::max(out_.total, out_.access[index(area)]);
    return out_;
  }

 private:
  static std::size_t at(Area a) { return static_cast<std::size_t>(a); }

  /// Cycles with what the DMA brings: tables, weights, copies.
  double with_transfers(double cycles) {
    const double slack = before_ ? static_cast<double>(before_->slack_cycles) : 0;
    double moved = 0;
    if (op_.table_bytes) {
      moved += transfer_cycles(npu_, npu_.constants(), Area::shram, op_.table_bytes);
      out_.read[at(npu_.constants())] += static_cast<double>(op_.table_bytes);
    }
    if (op_.function == Function::copy && costs_.area(op_.ifm) != costs_.area(op_.ofm)) {
      const std::int64_t n = costs_.bytes(op_.ifm);
      moved += transfer_cycles(npu_, costs_.area(op_.ifm), costs_.area(op_.ofm), n);
      out_.read[at(costs_.area(op_.ifm))] += static_cast<double>(n),
          out_.written[at(costs_.area(op_.ofm))] += static_cast<double>(n);
    }
    if (plan_.staging == WeightStaging::none) return cycles + std::max(moved - slack, 0.0);
    out_.read[at(npu_.constants())] += static_cast<double>(plan_.weights->bytes);
    out_.written[at(Npu::fast())] += static_cast<double>(plan_.weights->bytes);
    const double first_cycles = transfer_cycles(npu_, npu_.constants(), Npu::fast(), plan_.weights->slice_bytes[0]);
    if (plan_.staging == WeightStaging::two_buffers)
      return std::max(plan_.transfer_cycles - slack + static_cast<double>(plan_.slack_cycles),
                      cycles + std::max(first_cycles - slack, 0.0)) +
             moved;
    return cycles + plan_.transfer_cycles - std::min(first_cycles, slack) + moved;
  }

  void moves(const Map& map, Area area, std::int64_t elements, const Block& block, bool reads) {
    const double n = static_cast<double>(elements) * map.bits / 8;
    (reads ? out_.read : out_.written)[at(area)] += n;
    out_.access[at(area)] += with_bursts(npu_, map, block, reads, n) / npu_.bytes_per_cycle(area);
  }

  /// Where they are staged, the port's time is the DMA's.
  void reads_weights(double n) {
    out_.read[at(weights_in_)] += n;
    if (plan_.staging == WeightStaging::none) out_.access[at(weights_in_)] += n / npu_.bytes_per_cycle(weights_in_);
  }

  const Costs& costs_;
  const Npu& npu_;
  const Operation& op_;
  const OperationPlan& plan_;
  const OperationPlan* before_;
  Area weights_in_;
  Job job_;
  OperationEstimate out_;
};

}  // namespace

NetworkEstimate estimate_network(const Costs& costs, const Schedule& schedule) {
  NetworkEstimate out;
  std::set<const void*> seen;
  for (int i = 0; i < costs.count(); ++i) {
    out.operations.push_back(OneOperation(costs, schedule, i).run());
    const OperationEstimate& one = out.operations.back();
    OperationEstimate& sum = out.sum;
    sum.total += one.total, sum.npu += one.npu, sum.macs += one.macs;
    sum.usage = std::max(sum.usage, one.usage);
    for (std::size_t a = 0; a < one.access.size(); ++a)
      sum.access[a] += one.access[a], sum.read[a] += one.read[a], sum.written[a] += one.written[a];
    const Operation& o = costs.op(i);
    if (!o.weights) continue;
    if (seen.insert(o.weights.get()).second) out.original_weights += o.weights->original_bytes;
    if (const auto* w = schedule.operations[index(i)].weights.get(); seen.insert(w).second)
      out.coded_weights += w->bytes;
  }
  return out;
}

}  // namespace dse::plan::npu
