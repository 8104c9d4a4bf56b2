#include "models/nn/graph/calls.h"

#include <fmt/format.h>

#include "models/nn/quantize.h"

namespace dse::nn {

dse_view dense_view(const Extents& e, std::int64_t elem) {
  dse_view v{};
  v.elem = v.stride_c = static_cast<std::int32_t>(elem);
  v.stride_w = static_cast<std::int32_t>(e.c * elem);
  v.stride_h = static_cast<std::int32_t>(e.w * e.c * elem);
  return v;
}

dse_view flat_view(std::int64_t elements, std::int64_t elem) { return dense_view({1, 1, elements}, elem); }

KernelCall::Operand bound(int tensor, const dse_view& view, std::int64_t offset) {
  return {true, tensor, offset, view};
}

KernelCall::Operand own(const dse_view& view) { return {true, -1, 0, view}; }

void set_flat_extents(const Derivation& d, dse_op& k, std::int64_t in, std::int64_t out) {
  set_extents(k, {1, 1, in}, {1, 1, out});
  k.rounding = static_cast<std::int32_t>(d.op.options.rounding);
}

namespace {

std::int32_t element_type(DataType t) {
  const int type = kernel_type(t);
  return type < 0 ? DSE_U8 : type;
}

}  // namespace

void set_types(const Derivation& d, dse_op& k) {
  k.in_type = element_type(d.input(0).type);
  k.out_type = element_type(d.output().type);
  const ActivationRange all = type_range(d.output().type);
  k.act_min = all.min;
  k.act_max = all.max;
}

void add_flat_call(Derivation& d) {
  const Tensor &in = d.input(0), &out = d.output();
  KernelCall call;
  call.op = d.op.kernel;
  call.tile = full_tile(d.op);
  call.operands[DSE_IN0] = bound(d.op.inputs[0], flat_view(in.elements(), size_of(in.type)));
  call.operands[DSE_OUT] = bound(d.op.outputs[0], flat_view(out.elements(), size_of(out.type)));
  d.op.calls.push_back(call);
}

bool has_bytes(Derivation& d, std::size_t i) {
  const Tensor& t = d.input(i);
  if (t.kind != TensorKind::constant || !t.fill) return true;
  return d.fail(fmt::format("constant '{}' is given by a rule, not by bytes", t.name));
}

bool same_type(Derivation& d, std::size_t i, std::size_t o) {
  if (!has_bytes(d, i)) return false;
  const Tensor &in = d.input(i), &out = d.output(o);
  if (in.type == out.type) return true;
  return d.fail(fmt::format("input '{}' has type {}, output '{}' has type {}", in.name, name_of(in.type), out.name,
                            name_of(out.type)));
}

}  // namespace dse::nn
