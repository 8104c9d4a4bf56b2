#include "models/hw/libraries/circulant_cycles.h"

#include "models/hw/libraries/libraries.h"
#include "models/hw/libraries/shape_table.h"
#include "models/nn/kernels/dse_circulant.h"
#include "program/work.h"

namespace dse::hw {

namespace {

dse_op circulant_form(const dse_op& layer, int block, int domain) {
  dse_op op = layer;
  op.kind = DSE_CIRCULANT;
  op.arg[DSE_ARG_BLOCK] = block, op.arg[DSE_ARG_DOMAIN] = domain;
  const bool spectra = domain == DSE_FREQUENCY;
  if (spectra)
    op.weight_type = DSE_I16;
  else if (layer.kind == DSE_CIRCULANT && layer.arg[DSE_ARG_DOMAIN] == DSE_FREQUENCY)
    op.weight_type = layer.in_type;  // spectra have 16 bits, whatever the elements had
  op.acc_bytes = spectra || op.in_type == DSE_I16 || op.weight_type == DSE_I16 ? 8 : 4;
  return op;
}

/// @returns -1 where the engine has no figure for the call.
std::int64_t cycles_of(const LibraryTiming& library, const Engine& engine, const dse_op& op) {
  const auto work = program::whole_call(op);
  return why_not_timed(engine, work).empty() ? library.cycles(work) : -1;
}

}  // namespace

CirculantCycles circulant_cycles(const Device& device, const Engine& engine, const dse_op& layer, int block) {
  const auto library = library_timing(engine.library.empty() ? device.kernel_library : engine.library, engine);
  CirculantCycles c;
  const dse_op time = circulant_form(layer, block, DSE_TIME);
  dse_op dense = time;
  dense.kind = layer.kernel_h > 1 || layer.kernel_w > 1 || layer.in_w > 1 ? DSE_CONV_2D : DSE_FULLY_CONNECTED;
  dense.arg[DSE_ARG_BLOCK] = dense.arg[DSE_ARG_DOMAIN] = 0;
  c.dense = cycles_of(*library, engine, dense);
  c.time = cycles_of(*library, engine, time);
  if (dse_transforms(block)) c.frequency = cycles_of(*library, engine, circulant_form(layer, block, DSE_FREQUENCY));
  return c;
}

CirculantCycles circulant_cycles(const Device& device, const Engine& engine, int in, int out, int block) {
  dse_op op{};
  op.kind = DSE_FULLY_CONNECTED;
  op.in_h = op.in_w = op.out_h = op.out_w = op.kernel_h = op.kernel_w = 1;
  op.stride_h = op.stride_w = op.dilation_h = op.dilation_w = op.multiplier = op.groups = 1;
  op.in_c = in, op.out_c = out;
  op.acc_bytes = 4;
  return circulant_cycles(device, engine, op, block);
}

}  // namespace dse::hw
