#include "models/nn/graph/derivation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/nn/quantize.h"

namespace dse::nn {

bool Derivation::fail(const std::string& what, const std::string& hint) {
  if (!keep_) return malformed(what, hint);
  if (op.unsupported.empty()) op.unsupported = hint.empty() ? what : what + " (" + hint + ")";
  return false;
}

bool Derivation::malformed(const std::string& what, const std::string& hint) {
  diags_.error({file_, 0, 0}, where_ + ": " + what, hint);
  return false;
}

bool Derivation::quantized(int index, const char* role, std::initializer_list<DataType> types) {
  const Tensor& t = tensor(index);
  if (std::find(types.begin(), types.end(), t.type) == types.end()) {
    std::vector<std::string> names;
    for (const auto type : types) names.emplace_back(name_of(type));
    return fail(fmt::format("{} '{}' has type {}", role, t.name, name_of(t.type)),
                fmt::format("supported are {}", fmt::join(names, ", ")));
  }
  const auto& q = t.quantization;
  if (q.scale.size() != 1 || q.zero_point.size() != 1)
    return fail(fmt::format("{} '{}' has {} scales and {} zero points, not one of each", role, t.name, q.scale.size(),
                            q.zero_point.size()));
  if (!std::isfinite(q.scale[0]) || !(q.scale[0] > 0.0f))
    return fail(fmt::format("{} '{}' has scale {}", role, t.name, q.scale[0]));
  const bool wide = t.type == DataType::int16 || t.type == DataType::int32;
  const std::int64_t lo = wide || t.type == DataType::uint8 ? 0 : -128;
  const std::int64_t hi = wide ? 0 : t.type == DataType::uint8 ? 255 : 127;
  if (q.zero_point[0] < lo || q.zero_point[0] > hi)
    return fail(fmt::format("{} '{}' of type {} has zero point {}", role, t.name, name_of(t.type), q.zero_point[0]));
  return true;
}

int kernel_type(DataType t) {
  switch (t) {
    case DataType::int8:
      return DSE_I8;
    case DataType::uint8:
      return DSE_U8;
    case DataType::int16:
      return DSE_I16;
    case DataType::int32:
      return DSE_I32;
    case DataType::int64:
      return DSE_I64;
    case DataType::float32:
      return DSE_F32;
    case DataType::boolean:
      return -1;
  }
  return -1;
}

bool Derivation::quantized_int8(int index, const char* role) {
  const Tensor& t = tensor(index);
  if (t.type != DataType::int8)
    return fail(fmt::format("{} '{}' has type {}", role, t.name, name_of(t.type)),
                "only int8 activations are supported");
  const auto& q = t.quantization;
  if (q.scale.size() != 1 || q.zero_point.size() != 1)
    return fail(fmt::format("{} '{}' has {} scales and {} zero points, not one of each", role, t.name, q.scale.size(),
                            q.zero_point.size()),
                "quantise the model to int8 first");
  if (!std::isfinite(q.scale[0]) || !(q.scale[0] > 0.0f))
    return fail(fmt::format("{} '{}' has scale {}", role, t.name, q.scale[0]));
  if (q.zero_point[0] < -128 || q.zero_point[0] > 127)
    return fail(fmt::format("{} '{}' has zero point {}, outside int8", role, t.name, q.zero_point[0]));
  return true;
}

bool Derivation::image_of_batch_1(int index, const char* role) {
  const auto& shape = tensor(index).shape;
  if (shape.size() != 4)
    return fail(fmt::format("{} '{}' has shape {}, not [1, H, W, C]", role, tensor(index).name, text_of(shape)));
  if (shape[0] != 1)
    return fail(fmt::format("{} '{}' has batch {}", role, tensor(index).name, shape[0]), "only batch 1 is supported");
  return true;
}

bool Derivation::output_is(const std::vector<std::int64_t>& shape) {
  if (output().shape == shape) return true;
  return fail(fmt::format("output '{}' has shape {}, but the operator makes {}", output().name, text_of(output().shape),
                          text_of(shape)));
}

float scale_of(const Tensor& t) { return t.quantization.scale[0]; }
std::int32_t zero_of(const Tensor& t) { return static_cast<std::int32_t>(t.quantization.zero_point[0]); }

void set_extents(dse_op& k, const Tensor::Image& in, const Tensor::Image& out) {
  k.rounding = DSE_ROUND_TFLITE;
  k.in_h = static_cast<std::int32_t>(in.h), k.in_w = static_cast<std::int32_t>(in.w),
  k.in_c = static_cast<std::int32_t>(in.c);
  k.out_h = static_cast<std::int32_t>(out.h), k.out_w = static_cast<std::int32_t>(out.w),
  k.out_c = static_cast<std::int32_t>(out.c);
  k.kernel_h = k.kernel_w = k.stride_h = k.stride_w = k.dilation_h = k.dilation_w = k.multiplier = 1;
}

void set_activation(Derivation& d) {
  const ActivationRange r = activation_range(d.op.options.activation, scale_of(d.output()), zero_of(d.output()),
                                             d.output().type, d.op.options.rounding);
  d.op.kernel.act_min = r.min;
  d.op.kernel.act_max = r.max;
}

}  // namespace dse::nn
