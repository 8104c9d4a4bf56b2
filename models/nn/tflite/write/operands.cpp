// Operands of operators, for the writer: what stands in OperatorOptions here is a constant tensor in the file.
#include <fmt/format.h>

#include <algorithm>

#include "models/nn/graph/derivation.h"
#include "models/nn/quantize.h"
#include "models/nn/tflite/codec.h"
#include "models/nn/tflite/write/operand_writer.h"

namespace dse::nn {

bool OperandWriter::write() {
  out_.codec = tflite_codec(op_.kind);
  if (!out_.codec) return fail("the format has no such operator");
  if (o_.rounding != Rounding::tflite) return fail(fmt::format("rounds in mode '{}'", name_of(o_.rounding)));
  if (o_.channels_first) return fail("has its channels first");
  out_.builtin = out_.codec->code, out_.inputs = op_.inputs, out_.outputs = op_.outputs;
  out_.same_padding = o_.same_padding;
  const auto operands = out_.codec->operands.write;
  if (operands && !(this->*operands)()) return false;
  const auto options = out_.codec->options.write;
  if (options && out_.options.type == tflite::BuiltinOptions::NONE)
    out_.options = options(to_.network, op_, out_.same_padding);
  return true;
}

/// Reads a tensor that a PAD of its own makes: padding in elements that is neither SAME nor VALID.
void OperandWriter::pad_first() {
  const int from = op_.inputs[0];
  const Tensor& in = to_.tensor(from);
  auto padded = std::make_unique<tflite::TensorT>();
  padded->name = op_.name + "/padded", padded->type = tflite_type(in.type);
  padded->shape.assign(in.shape.begin(), in.shape.end());
  padded->shape[1] += o_.pad_top + o_.pad_bottom, padded->shape[2] += o_.pad_left + o_.pad_right;
  const auto& given = to_.graph.tensors[static_cast<std::size_t>(from)]->quantization;
  if (given) padded->quantization = std::make_unique<tflite::QuantizationParametersT>(*given);
  Operator pad;
  pad.kind = OperatorKind::pad, pad.inputs = {from}, pad.outputs = {from};
  TfliteOperator written{tflite_codec(builtin::pad), builtin::pad, false, {}, {}, {}};
  auto to = std::make_unique<tflite::OperatorT>();
  to->inputs = {from, to_.constant(op_.name + "/paddings", {4, 2},
                                   {0, 0, o_.pad_top, o_.pad_bottom, o_.pad_left, o_.pad_right, 0, 0})};
  to->builtin_options.Set(tflite::PadOptionsT{});
  if (op_.kind == OperatorKind::max_pool_2d) {
    // Less than any value.
    const auto least = static_cast<std::uint64_t>(type_range(in.type).min);
    std::vector<std::uint8_t> bytes;
    for (std::int64_t b = 0; b < size_of(in.type); ++b) bytes.push_back(static_cast<std::uint8_t>(least >> (8 * b)));
    auto value = std::make_unique<tflite::TensorT>();
    value->name = op_.name + "/least", value->type = padded->type, value->shape = {1};
    if (given) value->quantization = std::make_unique<tflite::QuantizationParametersT>(*given);
    value->buffer = to_.buffer(std::move(bytes));
    to_.graph.tensors.push_back(std::move(value));
    to->inputs.push_back(static_cast<int>(to_.graph.tensors.size() - 1));
    to->builtin_options.Set(tflite::PadV2OptionsT{});
    written.codec = tflite_codec(written.builtin = builtin::padv2);
  }
  to->opcode_index = to_.code(written.builtin, tflite_version(to_.network, pad, written));
  to_.graph.tensors.push_back(std::move(padded));
  const int made = static_cast<int>(to_.graph.tensors.size() - 1);
  to->outputs = {made};
  to_.graph.operators.push_back(std::move(to));
  out_.inputs[0] = made;
}

/// Padding in elements is SAME or VALID, or a PAD before the operator, where that says the same.
bool OperandWriter::window(int kernel_h, int kernel_w) {
  if (!o_.explicit_padding) return true;
  const auto& in = shape(op_.inputs[0]);
  const auto& out = shape(op_.outputs[0]);
  if (in.size() != 4 || out.size() != 4) return fail("pads what is no image");
  const auto same = [](std::int64_t i, std::int64_t o, int kernel, int stride, int dilation, int before, int after) {
    const std::int64_t total = std::max<std::int64_t>(0, (o - 1) * stride + (kernel - 1) * dilation + 1 - i);
    return o == (i + stride - 1) / stride && before == total / 2 && after >= total - total / 2;
  };
  const bool none = o_.pad_top == 0 && o_.pad_left == 0 && o_.pad_bottom == 0 && o_.pad_right == 0;
  const bool is_same = same(in[1], out[1], kernel_h, o_.stride_h, o_.dilation_h, o_.pad_top, o_.pad_bottom) &&
                       same(in[2], out[2], kernel_w, o_.stride_w, o_.dilation_w, o_.pad_left, o_.pad_right);
  const bool average = op_.kind == OperatorKind::average_pool_2d;
  out_.same_padding = is_same && !none && !o_.count_include_pad;
  if (none || out_.same_padding) return true;
  if (average && !o_.count_include_pad)
    return fail(fmt::format("leaves its padding of {} {} {} {}, which is neither SAME nor VALID, out of its averages",
                            o_.pad_top, o_.pad_left, o_.pad_bottom, o_.pad_right));
  if (op_.kind == OperatorKind::max_pool_2d && to_.tensor(op_.inputs[0]).type == DataType::float32)
    return fail("pads by elements, and there is no least value of FLOAT32");
  pad_first();
  return true;
}

bool OperandWriter::weighted() {
  while (out_.inputs.size() > 2 && out_.inputs.back() < 0) out_.inputs.pop_back();
  if (op_.kind == OperatorKind::fully_connected) return true;
  const auto& w = shape(op_.inputs[1]);
  return w.size() == 4 ? window(static_cast<int>(w[1]), static_cast<int>(w[2])) : fail("has weights of another rank");
}

bool OperandWriter::paddings() {
  Integers amounts;
  for (std::size_t d = 0; d < o_.pad_before.size(); ++d)
    amounts.push_back(o_.pad_before[d]), amounts.push_back(o_.pad_after[d]);
  const int tensor =
      to_.constant(op_.name + "/paddings", {static_cast<std::int64_t>(o_.pad_before.size()), 2}, amounts);
  out_.inputs.insert(out_.inputs.begin() + 1, tensor);
  return true;
}

bool OperandWriter::pad() {
  if (out_.inputs.size() > 1 && out_.inputs[1] >= 0)
    become(builtin::padv2);
  else if (o_.clip_min != 0)
    return fail(fmt::format("pads with {}", o_.clip_min));
  else
    out_.inputs.resize(1);
  return paddings();
}

bool OperandWriter::pool() {
  if (o_.ceil_mode) return fail("has windows that end behind its padding");
  if (o_.count_include_pad && !o_.explicit_padding && o_.same_padding) return fail("counts its padding");
  return window(o_.filter_h, o_.filter_w);
}

bool OperandWriter::transpose_conv() {
  if (o_.explicit_padding) return fail("pads in elements");
  if (o_.dilation_h != 1 || o_.dilation_w != 1) return fail("is dilated");
  append("shape", shape(op_.outputs[0]));
  out_.inputs = {out_.inputs.back(), op_.inputs[1], op_.inputs[0]};
  if (op_.inputs.size() > 2 && op_.inputs[2] >= 0) out_.inputs.push_back(op_.inputs[2]);
  return true;
}

bool OperandWriter::expand_dims() {
  if (o_.axes.size() == 1) return append("axis", {}, o_.axes);
  become(builtin::reshape);
  return true;
}

bool OperandWriter::along_last_axis() {
  return o_.axis + 1 == static_cast<int>(shape(op_.inputs[0]).size()) || fail("is not along the last axis");
}

bool OperandWriter::resize() {
  const auto& made = shape(op_.outputs[0]);
  return made.size() == 4 ? append("size", {made[1], made[2]}) : fail("resizes what is no image");
}

bool OperandWriter::split() {
  const bool equal = std::all_of(o_.sizes.begin(), o_.sizes.end(), [&](auto s) { return s == o_.sizes[0]; });
  if (equal && op_.type != "SPLIT_V") {
    become(builtin::split);
    out_.inputs.insert(out_.inputs.begin(), to_.constant(op_.name + "/axis", {}, {o_.axis}));
    return true;
  }
  return append("sizes", o_.sizes) && append("axis", {}, {o_.axis});
}

bool OperandWriter::slice() {
  if (std::any_of(o_.strides.begin(), o_.strides.end(), [](auto s) { return s != 1; })) {
    out_.builtin = builtin::strided_slice;
    return strided_slice();
  }
  Integers size;
  for (std::size_t d = 0; d < o_.begin.size(); ++d) size.push_back(o_.end[d] - o_.begin[d]);
  return append("begin", o_.begin) && append("size", size);
}

/// Dimensions of one element that the output lacks are shrunk, those that it has more are new axes.
bool OperandWriter::strided_slice() {
  const auto& made = shape(op_.outputs[0]);
  tflite::StridedSliceOptionsT masks;
  Integers begin, end, strides;
  const auto add = [&](std::int64_t b, std::int64_t e, std::int64_t s) {
    begin.push_back(b), end.push_back(e), strides.push_back(s);
    return std::int32_t{1} << (begin.size() - 1);
  };
  std::size_t m = 0;
  for (std::size_t d = 0; d < o_.begin.size(); ++d) {
    const std::int64_t s = o_.strides[d], span = o_.end[d] - o_.begin[d];
    const std::int64_t count = s > 0 ? (span + s - 1) / s : (-span - s - 1) / -s;
    while (m < made.size() && made[m] != count && count != 1 && made[m] == 1) masks.new_axis_mask |= add(0, 1, 1), ++m;
    if (m < made.size() && made[m] == count) {
      const auto bit = add(o_.begin[d], o_.end[d], s);
      if (s < 0 && o_.end[d] < 0) masks.end_mask |= bit;  // -1 would count from the end
      ++m;
    } else if (count == 1) {
      masks.shrink_axis_mask |= add(o_.begin[d], o_.begin[d] + 1, 1);
    } else {
      return fail(fmt::format("makes not {}", text_of(made)));
    }
  }
  for (; m < made.size(); ++m) {
    if (made[m] != 1) return fail(fmt::format("makes not {}", text_of(made)));
    masks.new_axis_mask |= add(0, 1, 1);
  }
  append("begin", begin);
  append("end", end);
  append("strides", strides);
  out_.options.Set(masks);
  return true;
}

bool write_tflite_operator(TfliteWriting& to, const Operator& op, TfliteOperator& out, std::string& why) {
  return OperandWriter(to, op, out, why).write();
}

}  // namespace dse::nn
