#include "models/hw/libraries/circulant_cycles.h"

#include "models/hw/libraries/libraries.h"
#include "models/hw/libraries/shape_table.h"
#include "models/nn/kernels/dse_circulant.h"
#include "program/work.h"

namespace dse::hw {

CirculantCycles circulant_cycles(const Device& device, const Engine& engine, int in, int out, int block) {
  dse_op op{};
  op.kind = DSE_FULLY_CONNECTED;
  op.in_h = op.in_w = op.out_h = op.out_w = op.kernel_h = op.kernel_w = 1;
  op.stride_h = op.stride_w = op.dilation_h = op.dilation_w = op.multiplier = op.groups = 1;
  op.in_c = in, op.out_c = out;
  op.acc_bytes = 4;
  const auto library = library_timing(engine.library.empty() ? device.kernel_library : engine.library, engine);
  CirculantCycles c;
  c.dense = library->cycles(program::whole_call(op));
  op.kind = DSE_CIRCULANT;
  op.arg[DSE_ARG_BLOCK] = block, op.arg[DSE_ARG_DOMAIN] = DSE_TIME;
  c.time = library->cycles(program::whole_call(op));
  op.arg[DSE_ARG_DOMAIN] = DSE_FREQUENCY, op.weight_type = DSE_I16, op.acc_bytes = 8;
  if (!dse_transforms(block)) return c;
  const auto work = program::whole_call(op);
  if (why_not_timed(engine, work).empty()) c.frequency = library->cycles(work);
  return c;
}

}  // namespace dse::hw
