#include "models/nn/graph/broadcast.h"

#include <fmt/format.h>

#include <array>

#include "models/nn/graph/views.h"

namespace dse::nn {
namespace {

constexpr std::int64_t max_calls = 4096;

/// One dimension: its extent, and the distance of neighbours in elements of the operands IN0 and IN1 and of OUT.
struct Dimension {
  std::int64_t extent;
  std::array<std::int64_t, 3> stride;
};

/// The dimensions of the output, outer first; extents of 1 are dropped, and neighbours that are one run in all three
/// tensors are one dimension.
std::vector<Dimension> merged(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b,
                              const std::vector<std::int64_t>& out) {
  const auto sa = broadcast_strides(a, out), sb = broadcast_strides(b, out), so = strides_of(out);
  std::vector<Dimension> dims;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] == 1) continue;
    const Dimension inner{out[i], {sa[i], sb[i], so[i]}};
    bool one_run = !dims.empty();
    for (std::size_t r = 0; r < 3 && one_run; ++r) one_run = dims.back().stride[r] == inner.stride[r] * inner.extent;
    if (one_run)
      dims.back() = {dims.back().extent * inner.extent, inner.stride};
    else
      dims.push_back(inner);
  }
  return dims;
}

}  // namespace

bool add_broadcast_calls(Derivation& d) {
  const auto &a = d.input(0).shape, &b = d.input(1).shape, &out = d.output().shape;
  if ((a == out && b == out) || out.size() < 4 || (out.size() == 4 && out[0] == 1)) {
    add_plain_call(d.network, d.op);
    return true;
  }
  std::vector<Dimension> dims = merged(a, b, out);
  while (dims.size() < 3) dims.insert(dims.begin(), {1, {0, 0, 0}});
  const std::size_t outer = dims.size() - 3;
  std::int64_t calls = 1;
  for (std::size_t i = 0; i < outer; ++i) calls *= dims[i].extent;  // a divisor of the output's elements
  if (calls > max_calls)
    return d.fail(fmt::format("broadcasting {} and {} to {} takes {} calls, above {}", text_of(a), text_of(b),
                              text_of(out), calls, max_calls));
  const auto i32 = [](std::int64_t v) { return static_cast<std::int32_t>(v); };
  dse_op& k = d.op.kernel;
  k.in_h = k.out_h = i32(dims[outer].extent), k.in_w = k.out_w = i32(dims[outer + 1].extent),
  k.in_c = k.out_c = i32(dims[outer + 2].extent);
  const std::array<dse_role, 3> roles{DSE_IN0, DSE_IN1, DSE_OUT};
  const std::array<int, 3> tensors{d.op.inputs[0], d.op.inputs[1], d.op.outputs[0]};
  for (std::int64_t n = 0; n < calls; ++n) {
    KernelCall call;
    call.op = k;
    call.tile = full_tile(d.op);
    for (std::size_t r = 0; r < 3; ++r) {
      const std::int64_t elem = size_of(d.tensor(tensors[r]).type);
      std::int64_t rest = n, offset = 0;
      for (std::size_t i = outer; i-- > 0;) {
        offset += rest % dims[i].extent * dims[i].stride[r];
        rest /= dims[i].extent;
      }
      dse_view v{};
      v.elem = i32(elem);
      v.stride_h = i32(dims[outer].stride[r] * elem), v.stride_w = i32(dims[outer + 1].stride[r] * elem),
      v.stride_c = i32(dims[outer + 2].stride[r] * elem);
      call.operands[roles[r]] = {true, tensors[r], offset * elem, v};
    }
    d.op.calls.push_back(call);
  }
  return true;
}

}  // namespace dse::nn
