#include "plan/layer/layer.h"
#include "plan/layer/schemes/scheme.h"
#include "plan/layer/whole_layer.h"
#include "program/kinds.h"

namespace dse::plan {

void emit_layer(program::Program& program, const LayerContext& context, const LayerGeometry& geometry,
                const LayerOffsets& offsets) {
  ensure(geometry.feasible, "emit_layer needs a feasible geometry");
  if (geometry.whole)
    emit_whole(program, context, geometry, offsets);
  else
    geometry.scheme->emit(program, context, geometry, offsets);
  program.wait();
}

}  // namespace dse::plan
