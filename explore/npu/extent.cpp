#include "explore/npu/extent.h"

#include <algorithm>

#include "base/index.h"
#include "plan/npu/block_choices.h"

namespace dse::explore::npu {

using namespace plan::npu;

namespace {

constexpr int kAll = 1 << 20;

bool staged(const OperationPlan& plan) { return plan.staging != WeightStaging::none; }

/// Other blocks and places of an operation's weights that are tried on the way from this schedule.
std::int64_t tried(const Compiled& c, int i) {
  const OperationPlan& plan = c.schedule.operations[index(i)];
  std::int64_t out = staged(plan) ? 1 : 0;
  if (c.costs->op(i).function == Function::copy) return out;
  for (const auto& block : quick_blocks(*c.costs, i, plan, kBlocksTried)) out += block.ofm == plan.block.ofm ? 0 : 1;
  return out;
}

OperationExtent operation_of(const Compiled& c, int i, std::string name) {
  OperationExtent out{.name = std::move(name), .source = c.costs->op(i).source};
  const OperationPlan& plan = c.schedule.operations[index(i)];
  if (c.costs->op(i).function != Function::copy)
    out.options = std::max<std::int64_t>(1, std::ssize(quick_blocks(*c.costs, i, plan, kAll)));
  if (c.costs->op(i).weights) out.options *= 2;
  return out;
}

}  // namespace

Extent extent_of(const nn::NetworkPtr& network, const hw::ethos_u::Npu& npu, FrontEffort effort) {
  Extent out;
  const int improvements = effort.simulations;
  effort.simulations = 0;
  effort.simulated = [&] { ++out.simulated; };
  out.starts = front(network, npu, effort);
  out.simulations = out.simulated;
  if (out.starts.empty()) return out;
  const Compiled& first = out.starts.front().compiled;
  const auto names = operation_names(*first.graph);
  out.candidates = static_cast<double>(out.simulated);
  for (int i = 0; i < first.costs->count(); ++i) {
    out.operations.push_back(operation_of(first, i, names[index(i)]));
    out.candidates *= static_cast<double>(out.operations.back().options);
  }
  const std::int64_t each = improvements / std::ssize(out.starts);
  for (const Point& p : out.starts) {
    std::int64_t all = 0;
    for (int i = 0; i < p.compiled.costs->count(); ++i) {
      const auto more = tried(p.compiled, i);
      all += more, out.operations[index(i)].tried += more;
    }
    out.simulations += std::min(each, all);
  }
  return out;
}

}  // namespace dse::explore::npu
