#include "models/hw/libraries/circulant.h"

#include "models/hw/clocking.h"
#include "models/nn/kernels/dse_circulant.h"

namespace dse::hw {
namespace {

bool expands(const program::CallWork& work) {
  return work.op->kind == DSE_CIRCULANT && work.op->arg[DSE_ARG_DOMAIN] == DSE_TIME;
}

/// The dense layer of a circulant one.
dse_op dense_of(const dse_op& op) {
  dse_op dense = op;
  const bool window = op.kernel_h > 1 || op.kernel_w > 1 || op.in_w > 1;
  dense.kind = window ? DSE_CONV_2D : DSE_FULLY_CONNECTED;
  for (auto& a : dense.arg) a = 0;
  return dense;
}

}  // namespace

CirculantTiming::CirculantTiming(std::shared_ptr<const LibraryTiming> library, const Engine& e)
    : library_(std::move(library)), copy_(e.is_array() ? Ratio{0, 1} : e.copy_bytes_per_cycle) {}

std::int64_t CirculantTiming::expanding(const program::CallWork& work) const {
  if (copy_.zero()) return 0;
  const dse_op& op = *work.op;
  const std::int64_t rows = work.tile.c.hi - work.tile.c.lo;
  const std::int64_t bytes = rows * op.kernel_h * op.kernel_w * op.in_c * dse_type_bytes(op.weight_type);
  return bytes > 0 ? scale_up(bytes, copy_.den, copy_.num) : 0;
}

std::int64_t CirculantTiming::cycles(const program::CallWork& work) const {
  if (!expands(work)) return library_->cycles(work);
  const dse_op dense = dense_of(*work.op);
  program::CallWork same = work;
  same.op = &dense;
  return library_->cycles(same) + expanding(work);
}

std::int64_t CirculantTiming::least_cycles(const program::CallWork& work) const {
  if (!expands(work)) return library_->least_cycles(work);
  const dse_op dense = dense_of(*work.op);
  program::CallWork same = work;
  same.op = &dense;
  return library_->least_cycles(same) + expanding(work);
}

/// Inputs are read as often as the dense layer reads them; the few weights stay where they are expanded.
Readings CirculantTiming::readings(const program::CallWork& work, int i) const {
  if (work.op->kind != DSE_CIRCULANT) return library_->readings(work, i);
  if (!expands(work) || work.operands[static_cast<std::size_t>(i)].role == DSE_WEIGHTS)
    return {library_->tells_readings() ? 1 : 0, 0};
  const dse_op dense = dense_of(*work.op);
  program::CallWork same = work;
  same.op = &dense;
  return library_->readings(same, i);
}

int CirculantTiming::kernel(const program::CallWork& work) const {
  return work.op->kind == DSE_CIRCULANT ? DSE_CIRCULANT : library_->kernel(work);
}

}  // namespace dse::hw
