// Convolutions and matrix products: what the multipliers are for.
#include <algorithm>

#include "base/index.h"
#include "plan/npu/decompose/builder.h"

namespace dse::plan::npu {
namespace {

/// The weights of the operator without zero points. `shape`: h, w, in, out as the file has them.
Weights weights_of(const Builder& b, int h, int w, int in, int out, bool depthwise) {
  const nn::Operator& op = b.op();
  const nn::Tensor& file = b.source(op.inputs[1]);
  const std::vector<std::uint8_t> raw = nn::filter_major_weights(b.network(), op);
  Weights made{.h = h,
               .w = w,
               .in = in,
               .out = out,
               .values = {},
               .input_bits = 8,
               .depthwise = depthwise,
               .original_bytes = file.bytes(),
               .dilation_h = 1,
               .dilation_w = 1,
               .own = {.h = h, .w = w, .in = in}};
  made.input_bits = static_cast<int>(nn::size_of(b.source(op.inputs[0]).type) * 8);
  made.values.resize(raw.size());
  const auto& zeros = file.quantization.zero_point;
  const std::size_t per_filter = raw.size() / static_cast<std::size_t>(out);
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const int v = file.type == nn::DataType::uint8 ? raw[i] : static_cast<std::int8_t>(raw[i]);
    const std::int64_t zero = zeros.empty() ? 0 : zeros[zeros.size() == 1 ? 0 : i / per_filter];
    made.values[i] = static_cast<std::int16_t>(v - zero);
  }
  return made;
}

int needed_padding(int size, int stride, int filter) {
  return std::max(filter - (size % stride == 0 ? stride : size % stride), 0);
}

/// What a stride in columns is divided by, so that `width` columns of more channels are read instead: all of it, or as
/// much as leaves a stride that the NPU has.
int fold_of(int width, int stride) {
  if (width % stride == 0) return stride;
  for (const int left : {2, 3})
    if (stride % left == 0 && width % (stride / left) == 0) return stride / left;
  return 1;
}

/// A convolution of few channels whose stride in columns goes into the channels: of `stride` columns one is left that
/// is as many times as deep. The NPU reads whole columns anyway. Only of the first operator, or where the stride is
/// none of the NPU's.
void fold_stride(Operation& op, Weights& w, bool first, bool same) {
  const int stride = op.kernel.stride_w;
  if ((!first && stride < 4) || stride <= 1) return;
  const Shape in = op.ifm_shape;
  const int by = fold_of(in.w, stride), left = stride / by;
  if (by == 1 || (in.c * by > 8 && stride <= 3)) return;
  const int now = needed_padding(in.w, stride, w.w);
  int before = 0, after = 0;
  if (same) {
    const int expected = now + (in.w % stride == 0 ? left : (in.w / by) % left);
    const int filter = expected * by - w.w;
    if (filter < 0) return;
    before = now == 0 ? filter / 2 : filter / now * (now / 2);
    after = filter - before;
  }
  if (w.w % by != 0 && (before + after == 0 || now == 0)) before = 0, after = by - w.w % by;
  if ((w.w + before + after) % by != 0) return;
  if (same && now != needed_padding(in.w / by, left, (w.w + 1 + before + after) / by)) return;
  const int columns = w.w + before + after;
  const std::size_t all = index(w.out) * index(w.h) * index(columns) * index(w.in);
  std::vector<std::int16_t> wider(all, 0);
  const std::size_t row = index(w.w) * index(w.in), wide_row = index(columns) * index(w.in);
  for (std::size_t r = 0; r < index(w.out) * index(w.h); ++r)
    for (std::size_t i = 0; i < row; ++i) wider[r * wide_row + index(before) * index(w.in) + i] = w.values[r * row + i];
  w.values = std::move(wider), w.own.before = before, w.own.by = by;
  w.w = columns / by, w.in *= by;
  op.ifm_shape = {in.n, in.h, in.w / by, in.c * by};
  op.kernel.w = w.w, op.kernel.stride_w = left;
  const auto [first_column, last_column] = zeros_around(in.w / by, op.ofm_shape.w, left, w.w, same, 0);
  op.padding.left = first_column, op.padding.right = last_column;
}

/// Beyond a dilation of 2 the gaps become weights of zero.
void spread(Operation& op, Weights& w) {
  const int hard_h = op.kernel.dilation_h % 2 ? 1 : 2, hard_w = op.kernel.dilation_w % 2 ? 1 : 2;
  const int gap_h = op.kernel.dilation_h / hard_h, gap_w = op.kernel.dilation_w / hard_w;
  if (op.kernel.dilation_h > 2 || op.kernel.dilation_w > 2) {
    const int h = (w.h - 1) * gap_h + 1, width = (w.w - 1) * gap_w + 1;
    std::vector<std::int16_t> out(index(w.out) * index(h) * index(width) * index(w.in), 0);
    for (int o = 0; o < w.out; ++o)
      for (int y = 0; y < w.h; ++y)
        for (int x = 0; x < w.w; ++x)
          for (int i = 0; i < w.in; ++i) {
            const std::size_t to =
                ((index(o) * index(h) + index(y * gap_h)) * index(width) + index(x * gap_w)) * index(w.in) + index(i);
            const std::size_t from =
                ((index(o) * index(w.h) + index(y)) * index(w.w) + index(x)) * index(w.in) + index(i);
            out[to] = w.values[from];
          }
    w.values = std::move(out), w.h = h, w.w = width;
    w.own.gap_h = gap_h, w.own.gap_w = gap_w;
    op.kernel.h = h, op.kernel.w = width, op.kernel.dilation_h = hard_h, op.kernel.dilation_w = hard_w;
  }
  w.dilation_h = op.kernel.dilation_h, w.dilation_w = op.kernel.dilation_w;
}

/// Rows of a matrix are columns of a picture, of four, eight and sixteen of them of both.
Shape of_rows(int rows, int channels) {
  const int h = rows == 4 || rows == 8 ? 2 : rows == 16 ? 4 : 1;
  return {1, h, rows / h, channels};
}

void add_fully_connected(Builder& b, int ifm, int ofm) {
  const nn::Tensor& w = b.source(b.op().inputs[1]);
  const int out = static_cast<int>(w.shape[0]), in = static_cast<int>(w.elements() / out);
  Operation& op = b.add(Function::fully_connected, ifm, ofm);
  const int rows = static_cast<int>(op.ifm_shape.elements() / in);
  op.ifm_shape = of_rows(rows, in), op.ofm_shape = of_rows(rows, out);
  op.weights = std::make_shared<Weights>(weights_of(b, 1, 1, in, out, false));
}

}  // namespace

void add_product(Builder& b) {
  const nn::Operator& source = b.op();
  const int ifm = b.tensor(source.inputs[0]), ofm = b.tensor(source.outputs[0]);
  const bool relu = source.options.activation != nn::Activation::none;
  if (source.kind == nn::OperatorKind::fully_connected) {
    add_fully_connected(b, ifm, ofm);
  } else {
    const nn::Tensor& file = b.source(source.inputs[1]);
    const bool depthwise = source.kind == nn::OperatorKind::depthwise_conv_2d;
    const int h = static_cast<int>(file.shape[1]), w = static_cast<int>(file.shape[2]);
    const int last = static_cast<int>(file.shape[3]), out = depthwise ? last : static_cast<int>(file.shape[0]);
    const bool by_channel = depthwise && b.graph().tensors[index(ifm)].shape.c == out;
    Operation& op = b.add(by_channel ? Function::depthwise : Function::conv, ifm, ofm);
    const nn::OperatorOptions& o = source.options;
    op.kernel = {h, w, o.stride_h, o.stride_w, o.dilation_h, o.dilation_w};
    Weights made = weights_of(b, h, w, depthwise ? 1 : last, out, by_channel);
    if (op.function == Function::conv && h == 1 && w == 1 && op.ifm_shape.area() == 1) {
      op.function = Function::fully_connected;
    } else {
      const bool same = o.same_padding && !o.explicit_padding;
      const auto rows = zeros_around(op.ifm_shape.h, op.ofm_shape.h, o.stride_h, op.kernel.rows(), same, o.pad_top);
      const auto columns =
          zeros_around(op.ifm_shape.w, op.ofm_shape.w, o.stride_w, op.kernel.columns(), same, o.pad_left);
      op.padding = {rows.first, columns.first, rows.second, columns.second};
      if (op.function == Function::conv && !o.explicit_padding)
        fold_stride(op, made, b.graph().operations.size() == 1, same);
      if (op.function == Function::conv) {
        if (op.ofm_shape.h == 1) op.kernel.stride_h = 1;
        if (op.ofm_shape.w == 1) op.kernel.stride_w = 1;
      }
      spread(op, made);
    }
    op.weights = std::make_shared<Weights>(std::move(made));
  }
  Operation& op = b.graph().operations.back();
  op.has_bias = true;
  if (relu) op.activation = Activation::relu;
}

void add_transpose_conv(Builder& b) {
  const nn::Operator& source = b.op();
  const nn::Tensor& file = b.source(source.inputs[1]);
  const int out = static_cast<int>(file.shape[0]), h = static_cast<int>(file.shape[1]),
            w = static_cast<int>(file.shape[2]);
  Operation& op = b.add(Function::conv, b.tensor(source.inputs[0]), b.tensor(source.outputs[0]));
  op.kernel = {h, w, 1, 1, 1, 1};
  if (source.options.stride_h == 2) op.upscale = Upscale::zeros;
  Weights made = weights_of(b, h, w, static_cast<int>(file.shape[3]), out, false);
  const std::size_t taps = index(h * w), in = index(made.in);
  for (int o = 0; o < out; ++o)  // a transposed kernel is read backwards
    for (std::size_t t = 0; t < taps / 2; ++t)
      for (std::size_t i = 0; i < in; ++i) {
        const std::size_t a = (index(o) * taps + t) * in + i, z = (index(o) * taps + taps - 1 - t) * in + i;
        std::swap(made.values[a], made.values[z]);
      }
  made.own.backwards = true;
  op.weights = std::make_shared<Weights>(std::move(made));
  op.has_bias = true;
  if (source.options.activation != nn::Activation::none) op.activation = Activation::relu;
}

}  // namespace dse::plan::npu
