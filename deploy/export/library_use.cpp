#include "deploy/export/library_use.h"

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

std::int64_t cmsis_memory(const std::vector<const program::Program*>& points) {
  std::int64_t most = 0;
  for (const auto* p : points) most = std::max(most, cmsis_use(*p).memory);
  return most;
}

}  // namespace dse::deploy
