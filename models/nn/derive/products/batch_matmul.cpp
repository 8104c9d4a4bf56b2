// BATCH_MATMUL: a DSE_MATMUL per matrix of the batch; a transposed operand is a view with exchanged strides.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/nn/derive/products/weighted.h"
#include "models/nn/quantize.h"

namespace dse::nn {
namespace {

using Shape = std::vector<std::int64_t>;

/// A matrix [rows, columns] as an image of `rows` rows, one column, `columns` channels; `transposed`: stored the other
/// way round.
dse_view matrix(std::int64_t rows, std::int64_t columns, bool transposed, int elem) {
  dse_view v{};
  v.elem = elem;
  v.stride_h = static_cast<std::int32_t>((transposed ? 1 : columns) * elem);
  v.stride_c = static_cast<std::int32_t>((transposed ? rows : 1) * elem);
  v.stride_w = static_cast<std::int32_t>(columns * elem);
  return v;
}

/// Which matrix of an operand belongs to matrix `index` of the output, by numpy's broadcasting of the leading
/// dimensions.
std::int64_t matrix_of(const Shape& operand, const Shape& out, std::int64_t index) {
  std::int64_t r = 0, stride = 1;
  for (std::size_t i = 2; i < out.size(); ++i) {
    const std::int64_t extent = out[out.size() - 1 - i], at = index % extent;
    index /= extent;
    if (i >= operand.size()) continue;
    const std::int64_t own = operand[operand.size() - 1 - i];
    r += (own == 1 ? 0 : at) * stride;
    stride *= own;
  }
  return r;
}

bool batches_broadcast(const Shape& operand, const Shape& out) {
  if (operand.size() < 2 || operand.size() > out.size()) return false;
  for (std::size_t i = 2; i < operand.size(); ++i) {
    const auto own = operand[operand.size() - 1 - i];
    if (own != 1 && own != out[out.size() - 1 - i]) return false;
  }
  return true;
}

bool derive_types(Derivation& d) {
  using enum DataType;
  const Rounding mode = d.op.options.rounding;
  for (const int t : {d.op.inputs[0], d.op.inputs[1], d.op.outputs[0]}) {
    const char* role = t == d.op.outputs[0] ? "output" : "input";
    if (mode == Rounding::onnx ? !d.quantized(t, role, {int8, uint8}) : !d.quantized(t, role, {int8, int16}))
      return false;
    const Tensor& x = d.tensor(t);
    if (x.kind == TensorKind::constant && x.data.empty()) return d.fail(fmt::format("'{}' has no values", x.name));
    if (mode == Rounding::qformat && (!fraction_bits(scale_of(x)) || zero_of(x) != 0))
      return d.fail(fmt::format("'{}' has scale {} and zero point {}, no Q format", x.name, scale_of(x), zero_of(x)));
  }
  const DataType a = d.input(0).type, b = d.input(1).type, y = d.output().type;
  if ((mode == Rounding::tflite || mode == Rounding::single) && (a != b || a != y))
    return d.fail(fmt::format("{} times {} does not make {}", name_of(a), name_of(b), name_of(y)));
  dse_op& k = d.op.kernel;
  k.rounding = static_cast<std::int32_t>(mode);
  k.in_type = kernel_type(a), k.in2_type = kernel_type(b), k.out_type = kernel_type(y);
  k.in_zero = zero_of(d.input(0)), k.in2_zero = zero_of(d.input(1)), k.out_zero = zero_of(d.output());
  k.acc_bytes = a == int16 || b == int16 ? 8 : 4;
  return true;
}

bool derive_multiplier(Derivation& d) {
  const float a = scale_of(d.input(0)), b = scale_of(d.input(1)), y = scale_of(d.output());
  dse_op& k = d.op.kernel;
  if (d.op.options.rounding == Rounding::qformat) {
    k.m1 = 1, k.s1 = *fraction_bits(a) + *fraction_bits(b) - *fraction_bits(y);
    return check_qformat_shift(d, k.s1);
  }
  const float rounded = a * b;  // TensorFlow Lite multiplies in binary32
  const double product = d.op.options.rounding == Rounding::onnx ? static_cast<double>(a) * static_cast<double>(b)
                                                                 : static_cast<double>(rounded);
  const double real = product / static_cast<double>(y);
  const Multiplier m = std::isfinite(real) ? quantize_multiplier(real) : Multiplier{0, 99};
  if (m.shift > (k.acc_bytes == 8 ? 14 : 30)) return d.fail(fmt::format("the real multiplier is {}", real));
  k.m1 = m.multiplier, k.s1 = m.shift;
  return true;
}

}  // namespace

bool derive_batch_matmul(Derivation& d) {
  const Shape &a = d.input(0).shape, &b = d.input(1).shape, &out = d.output().shape;
  if (!derive_types(d) || !derive_multiplier(d)) return false;
  const bool ta = d.op.options.adj_x, tb = d.op.options.adj_y;
  const auto unfit = [&] {
    return d.fail(fmt::format("matrices {}{} and {}{} do not make {}", text_of(a), ta ? " transposed" : "", text_of(b),
                              tb ? " transposed" : "", text_of(out)));
  };
  if (!batches_broadcast(a, out) || !batches_broadcast(b, out)) return unfit();
  const auto rows = a[a.size() - (ta ? 1 : 2)], depth = a[a.size() - (ta ? 2 : 1)];
  const auto columns = b[b.size() - (tb ? 2 : 1)];
  if (b[b.size() - (tb ? 1 : 2)] != depth || out[out.size() - 2] != rows || out.back() != columns) return unfit();
  const std::int64_t batch = d.output().elements() / (rows * columns);
  if (batch > 4096) return d.fail(fmt::format("a batch of {} matrices is more than 4096", batch));
  dse_op& k = d.op.kernel;
  k.kind = DSE_MATMUL;
  k.in_h = k.out_h = static_cast<std::int32_t>(rows);
  k.in_c = static_cast<std::int32_t>(depth), k.out_c = static_cast<std::int32_t>(columns);
  k.in_w = k.out_w = 1;
  k.kernel_h = k.kernel_w = k.stride_h = k.stride_w = k.dilation_h = k.dilation_w = k.multiplier = 1;
  set_activation(d);
  const auto elem = [](const Tensor& t) { return static_cast<int>(size_of(t.type)); };
  const int ea = elem(d.input(0)), eb = elem(d.input(1)), ey = elem(d.output());
  for (std::int64_t i = 0; i < batch; ++i) {
    KernelCall call;
    call.op = k;
    call.tile = {{0, k.out_h}, {0, 1}, {0, k.out_c}, {0, k.in_c}, DSE_FIRST | DSE_LAST};
    call.operands[DSE_IN0] = {true, d.op.inputs[0], matrix_of(a, out, i) * rows * depth * ea,
                              matrix(rows, depth, ta, ea)};
    call.operands[DSE_IN1] = {true, d.op.inputs[1], matrix_of(b, out, i) * depth * columns * eb,
                              matrix(depth, columns, tb, eb)};
    call.operands[DSE_OUT] = {true, d.op.outputs[0], i * rows * columns * ey, matrix(rows, columns, false, ey)};
    d.op.calls.push_back(call);
  }
  d.op.macs = batch * rows * depth * columns;
  return true;
}

}  // namespace dse::nn
