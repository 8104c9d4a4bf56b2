// Where tensors lie as kernels of a stream see them: rows of channels, or bricks of 16.
#pragma once
#include <tuple>

#include "plan/npu/stream/emit.h"

namespace dse::plan::npu {

/// An operand: a place (with the region, enum dse_npu_place), its first byte there, the register with its ring of rows,
/// and the view, whose base stays open.
struct Place {
  int where = DSE_NPU_IN_MEMORY;
  std::int64_t offset = 0;
  dse_npu_ring ring = DSE_NPU_NO_RING;
  dse_view view{};
};

/// Tensors are those of the graph.
class TensorViews {
 public:
  TensorViews(const Costs& costs, const Places& places) : costs_(costs), places_(places) {}

  /// The operand's view over the tensor as it lies. `ring`: what holds its rows, where it is in bricks.
  Place of(int tensor, const nn::KernelCall::Operand& operand, dse_npu_ring ring) const;
  /// Rows, columns and channels of all of it, and the views of these as it lies and as dense rows.
  std::tuple<std::int32_t, std::int32_t, std::int32_t> extents(int tensor) const;
  Place whole(int tensor) const;
  dse_view dense(int tensor) const;

 private:
  int region(int tensor) const;
  std::int64_t row_bytes(int tensor) const;
  std::int64_t place(int tensor) const;

  const Costs& costs_;
  const Places& places_;
};

}  // namespace dse::plan::npu
