// Operators of TensorFlow Lite that dissolve into others, or into constants, as they are read.
#include "models/nn/tflite/moves/moves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "models/nn/graph/derivation.h"
#include "models/nn/graph/gather.h"
#include "models/nn/passes/quantize_pairs.h"
#include "models/nn/tflite/codec.h"

namespace dse::nn {
namespace {

namespace fb = tflite;
using Integers = std::vector<std::int64_t>;

Tensor& at(TfliteReading& reading, int t) { return reading.network.tensors[static_cast<std::size_t>(t)]; }

/// Integers whose scales belong to their elements.
bool is_quantised(const Tensor& t) {
  const auto& q = t.quantization;
  if (t.type == DataType::float32 || t.type == DataType::int64 || t.type == DataType::boolean) return false;
  if (q.scale.empty() || q.zero_point.size() != q.scale.size()) return false;
  const bool has_axis = q.axis >= 0 && static_cast<std::size_t>(q.axis) < t.shape.size();
  return q.scale.size() == 1 ||
         (has_axis && t.shape[static_cast<std::size_t>(q.axis)] == static_cast<std::int64_t>(q.scale.size()));
}

/// A constant with all its bytes that can be read as real values.
bool is_real(TfliteReading& reading, int t) {
  const Tensor& c = at(reading, t);
  return c.kind == TensorKind::constant && !c.fill && reading.problems[static_cast<std::size_t>(t)].empty() &&
         c.elements() > 0 && static_cast<std::int64_t>(c.data.size()) == c.bytes() &&
         (c.type == DataType::float32 || is_quantised(c));
}

std::vector<std::uint8_t> real_data(const Tensor& c) {
  if (c.type == DataType::float32) return c.data;
  const auto values = pairs::dequantized_values(c);
  std::vector<std::uint8_t> data(4 * values.size());
  std::memcpy(data.data(), values.data(), data.size());
  return data;
}

/// Nothing has read it, and nobody outside will.
bool may_be_constant(TfliteReading& reading, int t) {
  const auto i = static_cast<std::size_t>(t);
  return at(reading, t).kind == TensorKind::activation && !reading.taken[i] && !reading.ends[i];
}

int add_tensor(TfliteReading& reading, Tensor t) {
  reading.network.tensors.push_back(std::move(t));
  reading.grow();
  return static_cast<int>(reading.network.tensors.size()) - 1;
}

bool read_gather(TfliteReading& reading, const fb::Operator& from, Operator& op) {
  const auto fail = [&](std::string why) { return op.unsupported = std::move(why), true; };
  if (op.inputs.size() != 2 || op.inputs[0] < 0 || op.inputs[1] < 0 || op.outputs.size() != 1)
    return fail(fmt::format("has {} inputs and {} outputs, expected 2 and 1", op.inputs.size(), op.outputs.size()));
  const auto* options = from.builtin_options_as_GatherOptions();
  const auto& shape = at(reading, op.inputs[0]).shape;
  const auto rank = static_cast<std::int64_t>(shape.size());
  std::int64_t axis = options ? options->axis() : 0;
  if (options && options->batch_dims() != 0) return fail("gathers by batch");
  if (axis < -rank || axis >= rank) return fail(fmt::format("axis {} of a tensor of rank {}", axis, rank));
  if (axis < 0) axis += rank;
  Integers indices;
  const Tensor& picks = at(reading, op.inputs[1]);
  if (!constant_integers(reading.network, op.inputs[1], indices))
    return fail(fmt::format("indices '{}' are no constant of type INT32 or INT64", picks.name));
  if (picks.shape.size() > 1) return fail("indices of several dimensions");
  for (const auto i : indices)
    if (i < 0 || i >= shape[static_cast<std::size_t>(axis)])
      return fail(fmt::format("index {} of {} elements", i, shape[static_cast<std::size_t>(axis)]));
  const bool scalar = picks.shape.empty();
  Integers made = shape;
  if (scalar)
    made.erase(made.begin() + axis);
  else
    made[static_cast<std::size_t>(axis)] = static_cast<std::int64_t>(indices.size());
  if (at(reading, op.outputs[0]).shape != made)
    return fail(
        fmt::format("makes {}, but its output has shape {}", text_of(made), text_of(at(reading, op.outputs[0]).shape)));
  const std::string name = at(reading, op.outputs[0]).name;
  const bool known = gather_by_moves(reading.network, op, op.inputs[0], static_cast<std::size_t>(axis), indices, scalar,
                                     [&] { return name + "_picked"; });
  reading.grow();
  return known || fail("indices that no few slices are");
}

/// TILE and BROADCAST_TO: constants, copies of nothing, and copies end to end.
bool read_repeated(TfliteReading& reading, std::int32_t builtin, Operator& op) {
  const auto fail = [&](std::string why) { return op.unsupported = std::move(why), true; };
  if (op.inputs.size() != 2 || op.inputs[0] < 0 || op.inputs[1] < 0 || op.outputs.size() != 1)
    return fail(fmt::format("has {} inputs and {} outputs, expected 2 and 1", op.inputs.size(), op.outputs.size()));
  Integers list;
  if (!constant_integers(reading.network, op.inputs[1], list))
    return fail(fmt::format("'{}' is no constant of type INT32 or INT64", at(reading, op.inputs[1]).name));
  const Tensor& value = at(reading, op.inputs[0]);
  const Integers made = at(reading, op.outputs[0]).shape;
  if (value.shape.size() > made.size()) return fail("makes fewer dimensions than it reads");
  Integers in(made.size() - value.shape.size(), 1);
  in.insert(in.end(), value.shape.begin(), value.shape.end());
  std::vector<std::size_t> stretched;
  std::int64_t elements = 1;
  for (std::size_t d = 0; d < made.size(); ++d) {
    const bool told = builtin == builtin::tile ? list.size() == made.size() && list[d] > 0 && made[d] % list[d] == 0 &&
                                                     made[d] / list[d] == in[d]
                                               : list == made && (in[d] == made[d] || in[d] == 1);
    if (!told || made[d] < 1 || made[d] > max_constant_elements / elements)
      return fail(fmt::format("{} by {} does not make {}", text_of(value.shape), text_of(list), text_of(made)));
    elements *= made[d];
    if (in[d] != made[d]) stretched.push_back(d);
  }
  if (value.kind == TensorKind::constant && !value.fill && may_be_constant(reading, op.outputs[0]) &&
      value.type == at(reading, op.outputs[0]).type && static_cast<std::int64_t>(value.data.size()) == value.bytes()) {
    if (!reading.spend(static_cast<std::size_t>(elements * size_of(value.type)))) return false;
    Tensor& out = at(reading, op.outputs[0]);
    out.data = repeated(value.data, in, made, size_of(value.type));
    out.kind = TensorKind::constant;
    return false;
  }
  if (stretched.size() > 1 || in != value.shape)
    if (!stretched.empty()) return fail(fmt::format("{} repeated to {}", text_of(value.shape), text_of(made)));
  op.inputs.resize(1);
  if (stretched.empty()) return op.kind = OperatorKind::reshape, true;
  return repeat_by_moves(op, stretched[0], made[stretched[0]] / in[stretched[0]]) ||
         fail(fmt::format("{} repeated to {}", text_of(in), text_of(made)));
}

std::string runtime_of(const std::string& custom) {
  if (custom == "edgetpu-custom-op") return "the Edge TPU (edgetpu_compiler)";
  if (custom == "ethos-u") return "an Ethos-U NPU (Vela)";
  if (custom.starts_with("XC_")) return "xcore (xmos-ai-tools)";
  return {};
}

}  // namespace

bool read_tflite_moves(TfliteReading& reading, const fb::Operator& from, std::int32_t builtin, Operator& op,
                       bool& stays) {
  if (builtin != builtin::gather && builtin != builtin::tile && builtin != builtin::broadcast_to) return false;
  op.kind = OperatorKind::other;
  stays = builtin == builtin::gather ? read_gather(reading, from, op) : read_repeated(reading, builtin, op);
  return true;
}

bool fold_tflite_dequantize(TfliteReading& reading, const Operator& op) {
  if (op.inputs.size() != 1 || op.outputs.size() != 1 || op.inputs[0] < 0 || !is_real(reading, op.inputs[0]) ||
      !may_be_constant(reading, op.outputs[0]))
    return false;
  Tensor& to = at(reading, op.outputs[0]);
  const Tensor& from = at(reading, op.inputs[0]);
  if (to.type != DataType::float32 || to.shape != from.shape) return false;
  if (!reading.spend(static_cast<std::size_t>(to.bytes()))) return false;
  to.data = real_data(from);
  to.kind = TensorKind::constant;
  return true;
}

void widen_tflite_weights(TfliteReading& reading, Operator& op, std::map<int, int>& widened) {
  const auto is_float = [&](int t) { return t >= 0 && at(reading, t).type == DataType::float32; };
  if (op.inputs.empty() || op.outputs.empty() || !is_float(op.inputs[0]) || !is_float(op.outputs[0])) return;
  for (int& t : op.inputs) {
    if (t < 0 || at(reading, t).type != DataType::int8 || !is_real(reading, t)) continue;
    const auto known = widened.find(t);
    if (known == widened.end()) {
      if (!reading.spend(static_cast<std::size_t>(4 * at(reading, t).elements()))) return;
      Tensor real = at(reading, t);
      real.data = real_data(real);
      real.type = DataType::float32;
      real.quantization = {};
      const int made = add_tensor(reading, std::move(real));
      if (widened.empty())
        reading.diags.note({reading.file, 0, 0}, "weights of INT8 for FLOAT32 activations are read as FLOAT32",
                           "interpreters round such activations as they run; dse quantize makes an integer network");
      t = widened[t] = made;
    } else {
      t = known->second;
    }
  }
}

std::string foreign_tflite_runtime(const std::string& custom) {
  const std::string runtime = runtime_of(custom);
  if (runtime.empty()) return {};
  return fmt::format("the file was compiled for {}, and only that runs it; read the file that it was compiled from",
                     runtime);
}

}  // namespace dse::nn
