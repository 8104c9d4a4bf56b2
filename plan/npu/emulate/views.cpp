#include "plan/npu/emulate/views.h"

#include "base/diagnostics.h"
#include "base/index.h"
#include "base/units.h"

namespace dse::plan::npu {

using namespace hw::ethos_u;

std::int64_t TensorViews::row_bytes(int tensor) const {
  const Tensor& t = costs_.tensor(tensor);
  const int c = costs_.format(tensor) == Format::brick ? up(t.shape.c, 16) : t.shape.c;
  return std::int64_t{t.bits / 8} * t.shape.w * c;
}

std::int64_t TensorViews::place(int tensor) const {
  const std::int64_t at = places_.tensor[index(tensor)];
  ensure(at >= 0, "'" + costs_.tensor(tensor).name + "' lies nowhere");
  return at;
}

int TensorViews::region(int tensor) const {
  if (costs_.tensor(tensor).constant) return DSE_NPU_CONSTANTS;
  return costs_.area(tensor) == Npu::fast() ? DSE_NPU_FAST : DSE_NPU_FEATURE_MAPS;
}

Place TensorViews::of(int tensor, const nn::KernelCall::Operand& operand, dse_npu_ring ring) const {
  Place out{region(tensor), place(tensor) + operand.offset, DSE_NPU_NO_RING, operand.view};
  if (costs_.format(tensor) == Format::nhwc) return out;
  const Tensor& t = costs_.tensor(tensor);
  const std::int64_t e = t.bits / 8, c = t.shape.c, w = t.shape.w, brick = w * 16 * e, row = row_bytes(tensor);
  const std::int64_t at = operand.offset / e, channel = at % c;
  out.offset = place(tensor) + at / (w * c) * row + at / c % w * 16 * e + channel / 16 * brick + channel % 16 * e;
  dse_view& v = out.view;
  const bool rows_are_columns = v.stride_h == c * e && t.shape.h == 1;
  v.stride_h = v.stride_h == 0 ? 0 : static_cast<std::int32_t>(rows_are_columns ? 16 * e : row);
  if (v.stride_w) v.stride_w = static_cast<std::int32_t>(16 * e);
  if (v.stride_c)
    v.stride_c = static_cast<std::int32_t>(e), v.block_c = 16, v.stride_block = static_cast<std::int32_t>(brick);
  out.ring = ring;
  return out;
}

std::tuple<std::int32_t, std::int32_t, std::int32_t> TensorViews::extents(int tensor) const {
  const Shape& s = costs_.tensor(tensor).shape;
  return {s.n * s.h, s.w, s.c};
}

dse_view TensorViews::dense(int tensor) const {
  const Tensor& t = costs_.tensor(tensor);
  dse_view v{};
  v.elem = t.bits / 8, v.stride_c = v.elem, v.stride_w = v.elem * t.shape.c, v.stride_h = v.stride_w * t.shape.w;
  return v;
}

Place TensorViews::whole(int tensor) const {
  Place out{region(tensor), place(tensor), DSE_NPU_NO_RING, dense(tensor)};
  if (costs_.format(tensor) == Format::nhwc) return out;
  dse_view& v = out.view;
  v.stride_h = static_cast<std::int32_t>(row_bytes(tensor)), v.stride_w = 16 * v.elem;
  v.block_c = 16, v.stride_block = 16 * v.elem * costs_.tensor(tensor).shape.w;
  return out;
}

}  // namespace dse::plan::npu
