// Operands of TensorFlow Lite's operators that say what to do rather than what to compute with.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "models/nn/tflite/operand_reader.h"

namespace dse::nn {

bool constant_integers(const Network& n, int tensor, std::vector<std::int64_t>& out) {
  const Tensor& t = n.tensors[static_cast<std::size_t>(tensor)];
  if (t.kind != TensorKind::constant || t.fill || (t.type != DataType::int32 && t.type != DataType::int64))
    return false;
  const auto size = static_cast<std::size_t>(size_of(t.type));
  const std::size_t count = t.data.size() / size;
  if (count > max_tflite_ports || count * size != t.data.size()) return false;
  out.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::int32_t narrow = 0;
    if (size == 8) {
      std::memcpy(&out[i], &t.data[8 * i], 8);
    } else {
      std::memcpy(&narrow, &t.data[4 * i], 4);
      out[i] = narrow;
    }
  }
  return true;
}

bool OperandReader::drop_shape() {
  if (!has(1, 2)) return false;
  // The output tensor has the new shape. A shape of rank 0 is a constant without elements.
  Integers ignored;
  if (op_.inputs.size() == 2 && op_.inputs[1] >= 0 && !tensor(op_.inputs[1]).fill && !integers(1, "shape", ignored))
    return false;
  op_.inputs.resize(1);
  return true;
}

bool OperandReader::squeeze() {
  if (!has(1, 1)) return false;
  if (!to_.axes.empty()) return normalise_axes(to_.axes, rank(0));
  for (std::size_t d = 0; d < shape(0).size(); ++d)
    if (shape(0)[d] == 1) to_.axes.push_back(static_cast<std::int64_t>(d));
  return true;
}

bool OperandReader::expand_dims() {
  Integers axis;
  if (!has(2, 2) || !integers(1, "axis", 1, axis) || !normalise_axes(axis, rank(0) + 1)) return false;
  op_.inputs.resize(1);
  return true;
}

bool OperandReader::transpose() {
  Integers order;
  if (!has(2, 2) || !integers(1, "permutation", shape(0).size(), order)) return false;
  std::vector<bool> seen(order.size());
  for (auto& d : order) {
    if (!normalise(d, rank(0))) return false;
    if (seen[static_cast<std::size_t>(d)])
      return fail(fmt::format("permutation {} names a dimension twice", text_of(order)));
    seen[static_cast<std::size_t>(d)] = true;
  }
  to_.permutation = order;
  op_.inputs.resize(1);
  return true;
}

bool OperandReader::paddings(std::size_t most) {
  Integers amounts;
  if (!has(most, most) || !integers(1, "padding", 2 * shape(0).size(), amounts)) return false;
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    if (amounts[i] < 0 || amounts[i] > max_elements) return fail(fmt::format("padding {}", amounts[i]));
    (i % 2 == 0 ? to_.pad_before : to_.pad_after).push_back(amounts[i]);
  }
  op_.inputs.erase(op_.inputs.begin() + 1);
  return true;
}

bool OperandReader::reduction() {
  Integers axes;
  if (!has(2, 2) || !integers(1, "axes", axes)) return false;
  if (axes.empty()) return fail("reduces over no axis");
  if (!normalise_axes(axes, rank(0))) return false;
  op_.inputs.resize(1);
  return true;
}

bool OperandReader::arg_extreme() {
  Integers axis;
  if (!has(2, 2) || !integers(1, "axis", 1, axis) || !normalise_axis(axis[0], rank(0))) return false;
  op_.inputs.resize(1);
  return true;
}

bool OperandReader::split() {  // {axis, value}
  Integers axis;
  if (!has(2, 2) || !integers(0, "axis", 1, axis) || !normalise_axis(axis[0], rank(1))) return false;
  const auto parts = static_cast<std::int64_t>(op_.outputs.size());
  const std::int64_t extent = shape(1)[static_cast<std::size_t>(to_.axis)];
  if (extent % parts != 0) return fail(fmt::format("{} cannot be split into {} equal parts", extent, parts));
  to_.sizes.assign(op_.outputs.size(), extent / parts);
  op_.inputs = {op_.inputs[1]};
  return true;
}

bool OperandReader::split_v() {  // {value, sizes, axis}
  Integers axis, sizes;
  if (!has(3, 3) || !integers(2, "axis", 1, axis) || !normalise_axis(axis[0], rank(0)) ||
      !integers(1, "sizes", op_.outputs.size(), sizes))
    return false;
  const std::int64_t extent = shape(0)[static_cast<std::size_t>(to_.axis)];
  std::int64_t rest = extent;
  const auto open = std::count(sizes.begin(), sizes.end(), -1);
  for (const auto s : sizes) {
    if (s == -1) continue;
    if (s < 1 || s > rest) return fail(fmt::format("sizes {} do not add up to {}", text_of(sizes), extent));
    rest -= s;
  }
  if (open > 1 || (open == 0) != (rest == 0))
    return fail(fmt::format("sizes {} do not add up to {}", text_of(sizes), extent));
  std::replace(sizes.begin(), sizes.end(), std::int64_t{-1}, rest);
  to_.sizes = sizes;
  op_.inputs.resize(1);
  return true;
}

bool OperandReader::slice() {  // {value, begin, size}
  Integers begin, size;
  if (!has(3, 3) || !integers(1, "begin", shape(0).size(), begin) || !integers(2, "size", shape(0).size(), size))
    return false;
  for (std::size_t d = 0; d < begin.size(); ++d) {
    const std::int64_t extent = shape(0)[d];
    if (begin[d] < 0 || begin[d] >= extent || size[d] == 0 || size[d] < -1 || size[d] > extent - begin[d])
      return fail(fmt::format("slice of {} from {} in an extent of {}", size[d], begin[d], extent));
    to_.begin.push_back(begin[d]);
    to_.end.push_back(size[d] == -1 ? extent : begin[d] + size[d]);
    to_.strides.push_back(1);
  }
  op_.inputs.resize(1);
  return true;
}

bool OperandReader::strided_slice() {  // {value, begin, end, strides}
  Integers begin, end, strides;
  if (!has(4, 4) || !integers(1, "begin", begin) || !integers(2, "end", begin.size(), end) ||
      !integers(3, "strides", begin.size(), strides))
    return false;
  if (!resolve_strided_slice(from_.builtin_options_as_StridedSliceOptions(), shape(0), begin, end, strides, op_))
    return false;
  op_.inputs.resize(1);
  return true;
}

bool OperandReader::transpose_conv() {  // {output shape, weights, value, bias}
  Integers made;
  if (!has(3, 4)) return false;
  // A shape that is computed: the output tensor has it.
  const bool given = tensor(op_.inputs[0]).kind == TensorKind::constant;
  if (given && !integers(0, "output shape", made)) return false;
  if (given && made != output_shape())
    return fail(fmt::format("makes {}, but its output has shape {}", text_of(made), text_of(output_shape())));
  op_.inputs = {file_inputs_[2], file_inputs_[1], file_inputs_.size() > 3 ? file_inputs_[3] : -1};
  return true;
}

bool OperandReader::resize() {  // {value, size}
  Integers size;
  if (!has(2, 2) || !integers(1, "size", 2, size)) return false;
  const Integers& out = output_shape();
  if (out.size() != 4 || out[1] != size[0] || out[2] != size[1])
    return fail(fmt::format("resizes to {} x {}, but its output has shape {}", size[0], size[1], text_of(out)));
  op_.inputs.resize(1);
  return true;
}

void read_tflite_operands(const Network& n, const tflite::Operator& from, const TfliteCodec& codec, Operator& op) {
  OperandReader(n, from, op).read(codec);
}

}  // namespace dse::nn
