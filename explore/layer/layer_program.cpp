// One layer as a program of its own.
#include "explore/layer/layer_search.h"
#include "plan/network/layers.h"
#include "plan/place/input_rows.h"

namespace dse::explore {

program::Program layer_program(const LayerTask& task, const plan::LayerGeometry& geometry, bool fetches) {
  const auto& device = *task.context.device;
  program::Program p;
  p.queues = plan::device_queues(device);
  for (const auto& m : device.memories) p.arenas.push_back({m.name, m.size, m.alignment});
  p.constants_arena = device.constants;
  p.section({task.context.network->operators[task.op].name, task.op, 0});
  plan::LayerOffsets offsets;
  offsets.buffers.assign(geometry.buffers.size(), 0);
  offsets.inputs.resize(geometry.inputs.size());
  const auto& op = task.context.network->operators[task.op];
  offsets.further_outputs.resize(op.outputs.size() - 1);
  for (const int t : plan::variables(*task.context.network, op)) offsets.states[t] = 0;
  for (const int t : task.streamed) {
    const auto& network = *task.context.network;
    plan::emit_input(p, network, device, t, device.input_from, 0, device.io, 0);
  }
  if (!task.streamed.empty()) p.wait();
  if (fetches) offsets.next = task.next;
  plan::emit_layer(p, task.context, geometry, offsets);
  return p;
}

}  // namespace dse::explore
