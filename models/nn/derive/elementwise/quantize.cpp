// QUANTIZE and DEQUANTIZE.
#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "models/nn/derive/elementwise/elementwise.h"

namespace dse::nn {
namespace {

std::int32_t bits_of(float f) {
  std::int32_t bits = 0;
  std::memcpy(&bits, &f, sizeof bits);
  return bits;
}

bool is_float(const Tensor& t) { return t.type == DataType::float32; }

bool check(Derivation& d, int index, const char* role) {
  if (is_float(d.tensor(index))) return true;
  // What SOFTMAX makes in int16 has a zero point.
  const Tensor& t = d.tensor(index);
  const auto& q = t.quantization;
  if (t.type == DataType::int16 && q.scale.size() == 1 && q.scale[0] > 0 && std::isfinite(q.scale[0]) &&
      q.zero_point == std::vector<std::int64_t>{-32768})
    return true;
  return d.quantized(index, role, {DataType::int8, DataType::uint8, DataType::int16, DataType::int32});
}

}  // namespace

bool derive_quantize(Derivation& d) {
  if (!check(d, d.op.inputs[0], "input") || !check(d, d.op.outputs[0], "output")) return false;
  if (!d.output_is(d.input().shape)) return false;
  const bool from_float = is_float(d.input()), to_float = is_float(d.output());
  if (from_float && to_float) return d.fail("input and output are both FLOAT32");
  if (from_float && d.op.kind == OperatorKind::dequantize) return d.fail("the input is FLOAT32 already");
  if (d.op.kind == OperatorKind::dequantize && !to_float)
    return d.fail(fmt::format("output '{}' has type {}, not FLOAT32", d.output().name, name_of(d.output().type)));
  set_elementwise(d, DSE_REQUANTIZE);
  dse_op& k = d.op.kernel;
  if (from_float || to_float) {
    if (to_float) k.out_zero = 0;
    if (from_float) k.in_zero = 0;
    k.arg[2] = bits_of(scale_of(from_float ? d.output() : d.input()));
    return true;
  }
  const double real = static_cast<double>(scale_of(d.input())) / static_cast<double>(scale_of(d.output()));
  return set_requantization(d, k, d.input(), d.output(), real);
}

}  // namespace dse::nn
