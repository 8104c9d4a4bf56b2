#include "plan/layer/nest/nest_tasks.h"
#include "plan/layer/prefetch.h"
#include "plan/layer/whole/whole_layer.h"
#include "program/kinds.h"

namespace dse::plan {

void emit_layer(program::Program& program, const LayerContext& context, const LayerGeometry& geometry,
                const LayerOffsets& offsets) {
  ensure(geometry.feasible, "emit_layer needs a feasible geometry");
  const auto begin = program.code.size();
  if (geometry.whole)
    emit_whole(program, context, geometry, offsets);
  else
    NestTasks(program, context, geometry, offsets).emit();
  if (offsets.next.bytes > 0) insert_prefetch(program, begin, offsets.next, *context.device);
  program.wait();
}

}  // namespace dse::plan
