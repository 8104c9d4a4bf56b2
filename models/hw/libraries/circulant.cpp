#include "models/hw/libraries/circulant.h"

#include "models/hw/clocking.h"
#include "models/nn/kernels/dse_circulant.h"

namespace dse::hw {
namespace {

bool expands(const program::CallWork& work) {
  return work.op->kind == DSE_CIRCULANT && work.op->arg[DSE_ARG_DOMAIN] == DSE_TIME;
}

/// f(the same call of the dense layer that a circulant one stands for).
template <class F>
auto as_dense(const program::CallWork& work, F&& f) {
  dse_op dense = *work.op;
  const bool window = dense.kernel_h > 1 || dense.kernel_w > 1 || dense.in_w > 1;
  dense.kind = window ? DSE_CONV_2D : DSE_FULLY_CONNECTED;
  for (auto& a : dense.arg) a = 0;
  program::CallWork same = work;
  same.op = &dense;
  return f(same);
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
  return as_dense(work, [&](const auto& dense) { return library_->cycles(dense); }) + expanding(work);
}

std::int64_t CirculantTiming::least_cycles(const program::CallWork& work) const {
  if (!expands(work)) return library_->least_cycles(work);
  return as_dense(work, [&](const auto& dense) { return library_->least_cycles(dense); }) + expanding(work);
}

/// Inputs are read as often as the dense layer reads them; the few weights stay where they are expanded.
Readings CirculantTiming::readings(const program::CallWork& work, int i) const {
  if (work.op->kind != DSE_CIRCULANT) return library_->readings(work, i);
  if (!expands(work) || work.operands[static_cast<std::size_t>(i)].role == DSE_WEIGHTS)
    return {library_->tells_readings() ? 1 : 0, 0};
  return as_dense(work, [&](const auto& dense) { return library_->readings(dense, i); });
}

int CirculantTiming::kernel(const program::CallWork& work) const {
  return work.op->kind == DSE_CIRCULANT ? DSE_CIRCULANT : library_->kernel(work);
}

}  // namespace dse::hw
