#include "plan/npu/program/npu_choices.h"

#include <algorithm>
#include <iterator>

#include "base/index.h"
#include "plan/npu/block_choices.h"
#include "plan/npu/program/npu_plan.h"

namespace dse::plan::npu {
namespace {

constexpr int kAll = 1 << 20;

ChoiceInstance instance(std::string name, std::string doc, std::vector<std::string> values, bool conditional) {
  ChoiceInstance out;
  out.fallback = values.front();
  out.name = std::move(name), out.doc = std::move(doc), out.values = std::move(values), out.conditional = conditional;
  return out;
}

}  // namespace

std::vector<std::int64_t> limits_between(std::int64_t low, std::int64_t high, int count) {
  std::vector<std::int64_t> out;
  for (int n = 1; n < count && high > low; ++n) out.push_back(low + (high - low) * n / count);
  return out;
}

std::vector<ChoiceInstance> list_choices(const nn::NetworkPtr& network, const hw::ethos_u::Npu& npu) {
  std::vector<ChoiceInstance> out;
  const Compiled small = compile(network, npu, Optimise::size);
  if (small.costs->count() == 0) return out;
  const Compiled fast = within(small, npu.arena_limit, Optimise::performance);
  out.push_back(instance("npu.rule", "what the schedule is made for; all else follows from it and the limit",
                         {std::begin(kRules), std::end(kRules)}, false));
  std::vector<std::string> limits = {std::to_string(npu.arena_limit)};
  for (const auto bytes : limits_between(small.schedule.peak(), fast.schedule.peak(), kLimits))
    limits.push_back(std::to_string(bytes));
  if (limits.size() > 1)
    out.push_back(instance("npu.limit", "bytes of SRAM that the rule may use; any number of them", limits, false));
  out.push_back(instance("npu.formats",
                         "of tensors that only the NPU sees: channels last where they can lie in place, or bricks",
                         {std::begin(kFormats), std::end(kFormats)}, false));
  const auto names = operation_names(*fast.graph);
  for (int i = 0; i < fast.costs->count(); ++i) {
    const OperationPlan& plan = fast.schedule.operations[index(i)];
    std::vector<std::string> blocks = {kByRule};
    if (fast.costs->op(i).function != Function::copy)
      for (const auto& b : quick_blocks(*fast.costs, i, plan, kAll)) blocks.push_back(text_of(b.ofm));
    std::sort(blocks.begin() + 1, blocks.end());
    blocks.erase(std::unique(blocks.begin() + 1, blocks.end()), blocks.end());
    if (blocks.size() > 1)
      out.push_back(instance(names[index(i)] + ".block",
                             "rows x columns x channels of the output that are made at once", std::move(blocks), true));
    if (fast.costs->op(i).weights)
      out.push_back(instance(names[index(i)] + ".weights",
                             "brought into SRAM as the rule says, or read in place, where they lie",
                             {kByRule, kInPlace}, false));
  }
  return out;
}

}  // namespace dse::plan::npu
