#include "explore/layer/calls.h"

#include "plan/network/layers.h"

namespace dse::explore {

Fit fit_of(const LayerTask& task, const Goal& goal, const LayerEntry& entry) {
  const auto& n = *task.context.network;
  const auto& device = *task.context.device;
  const auto& op = n.operators[static_cast<std::size_t>(task.op)];
  auto heights = entry.local;
  for (std::size_t m = 0; m < heights.size(); ++m)
    if (heights[m] > device.memories[m].free()) return Fit::no;
  const auto inputs = plan::activations(n, op);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (const int home = task.context.inputs[i].memory;
        home >= 0 && std::find(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(i), inputs[i]) ==
                         inputs.begin() + static_cast<std::ptrdiff_t>(i))
      heights[static_cast<std::size_t>(home)] += n.tensors[static_cast<std::size_t>(inputs[i])].bytes();
  if (task.output.memory >= 0)
    for (const int t : op.outputs)
      heights[static_cast<std::size_t>(task.output.memory)] += n.tensors[static_cast<std::size_t>(t)].bytes();
  return keeps(goal, device, heights, Costs{}) ? Fit::limits : Fit::device;
}

}  // namespace dse::explore
