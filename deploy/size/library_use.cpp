#include "deploy/size/library_use.h"

#include <algorithm>

#include "base/units.h"
#include "dse_cmsis_nn.h"
#include "program/kinds.h"

namespace dse::deploy {

LibraryUse cmsis_use(const program::Program& program) {
  LibraryUse out;
  program::Walker walker(program);
  program::TaskInstance task;
  while (walker.next(task)) {
    const auto call = program::call_of(task);
    if (!call) continue;
    const bool taken = dse_cmsis_takes(&*call) != 0;
    const std::int64_t macs = program::arithmetic_of(program::call_on(*call->op, call->tile)).products();
    const int layer = task.task->layer >= 0 ? task.task->layer
                                            : program.sections[static_cast<std::size_t>(task.section)].operator_index;
    ++out.calls.all, ++out.layers[layer].all, out.macs.all += macs;
    if (!taken) continue;
    ++out.calls.taken, ++out.layers[layer].taken, out.macs.taken += macs;
    out.memory = std::max<std::int64_t>(out.memory, dse_cmsis_bytes(&*call));
  }
  out.memory = round_up(std::max(out.memory, std::int64_t{1}), std::int64_t{16});
  return out;
}

std::int64_t cmsis_memory(const nn::Network& network) {
  std::int64_t most = 1;
  for (const auto& op : network.operators)
    for (const auto& whole : op.calls) {
      // dse_cmsis_bytes() grows with the channels of a call, and asks for nothing that a tile has more of.
      const dse_op& k = whole.op;
      if (k.rounding != DSE_ROUND_TFLITE || k.in_type != DSE_I8 || k.out_type != DSE_I8) continue;
      dse_call call{};
      call.op = &k, call.tile = whole.tile;
      most = std::max<std::int64_t>(most, dse_cmsis_bytes(&call));
    }
  return round_up(most, std::int64_t{16});
}

}  // namespace dse::deploy
