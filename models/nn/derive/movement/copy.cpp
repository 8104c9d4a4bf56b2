// Operators that only rename or move a whole tensor.
#include <fmt/format.h>

#include "models/nn/graph/calls.h"

namespace dse::nn {

bool derive_copy(Derivation& d) {
  const Tensor &in = d.input(0), &out = d.output();
  if (!same_type(d)) return false;
  if (in.elements() != out.elements())
    return d.fail(fmt::format("input {} has not as many elements as output {}", text_of(in.shape), text_of(out.shape)));
  dse_op& k = d.op.kernel;
  k.kind = DSE_COPY;
  set_extents(k, out.image(), out.image());
  k.rounding = static_cast<std::int32_t>(d.op.options.rounding);
  set_types(d, k);
  KernelCall call;
  call.op = k;
  call.tile = full_tile(d.op);
  const dse_view view = dense_view({k.out_h, k.out_w, k.out_c}, size_of(out.type));
  call.operands[DSE_IN0] = bound(d.op.inputs[0], view);
  call.operands[DSE_OUT] = bound(d.op.outputs[0], view);
  d.op.calls.push_back(call);
  return true;
}

}  // namespace dse::nn
