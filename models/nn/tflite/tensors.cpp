// Tensors of a TensorFlow Lite file.
#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "models/nn/schema/half.h"
#include "models/nn/tflite/names.h"
#include "models/nn/tflite/reading.h"

namespace dse::nn {
namespace {

namespace fb = tflite;

std::optional<DataType> type_of(fb::TensorType t) {
  switch (t) {
    case fb::TensorType::INT8:
      return DataType::int8;
    case fb::TensorType::UINT8:
      return DataType::uint8;
    case fb::TensorType::INT16:
      return DataType::int16;
    case fb::TensorType::INT32:
      return DataType::int32;
    case fb::TensorType::INT64:
      return DataType::int64;
    case fb::TensorType::FLOAT32:
      return DataType::float32;
    case fb::TensorType::BOOL:
      return DataType::boolean;
    default:
      return std::nullopt;
  }
}

void read_quantization(TfliteReading& reading, const fb::QuantizationParameters* from, Tensor& to) {
  if (!from || length(from->scale()) == 0) return;  // zero points without scales say nothing
  if (!reading.spend(12 * (length(from->scale()) + length(from->zero_point())))) return;
  Quantization& q = to.quantization;
  q.scale.assign(from->scale()->begin(), from->scale()->end());
  if (const auto* zeros = from->zero_point()) {
    // The verifier aligns a vector's length, not its 64-bit elements.
    q.zero_point.resize(zeros->size());
    if (zeros->size() > 0) std::memcpy(q.zero_point.data(), zeros->Data(), 8 * q.zero_point.size());
  }
  if (q.zero_point.empty()) q.zero_point.assign(q.scale.size(), 0);
  q.axis = from->quantized_dimension();
  // The axis is checked where it matters: biases in the wild carry the axis of their weights.
}

/// The bytes of the tensor's buffer, if it has one that is not empty.
const flatbuffers::Vector<std::uint8_t>* data_of(TfliteReading& reading, const fb::Tensor& from,
                                                 const std::string& where) {
  if (from.buffer() == 0) return nullptr;  // buffer 0 is the empty buffer by convention
  const auto* buffers = reading.model.buffers();
  if (from.buffer() >= length(buffers)) {
    reading.fail(fmt::format("{}: buffer {}, but there are {} buffers", where, from.buffer(), length(buffers)));
    return nullptr;
  }
  const fb::Buffer* buffer = buffers->Get(from.buffer());
  if (buffer->offset() > 1) {
    reading.fail(fmt::format("{}: its data ({} bytes at {}) lies outside the flatbuffer, which is not supported", where,
                             buffer->size(), buffer->offset()));
    return nullptr;
  }
  return length(buffer->data()) == 0 ? nullptr : buffer->data();
}

/// Two values per byte, the first in the low half, to one per byte.
void unpack_int4(const flatbuffers::Vector<std::uint8_t>& from, std::vector<std::uint8_t>& to, std::int64_t elements) {
  const auto sign_extended = [](unsigned nibble) { return static_cast<std::uint8_t>((nibble ^ 8u) - 8u); };
  for (const std::uint8_t byte : from) {
    to.push_back(sign_extended(byte & 15u));
    to.push_back(sign_extended(byte >> 4));
  }
  // An odd number of values leaves half a byte at the end.
  if (static_cast<std::int64_t>(to.size()) == elements + 1) to.pop_back();
}

/// Two bytes per value to four.
void widen_halves(const flatbuffers::Vector<std::uint8_t>& from, std::vector<std::uint8_t>& to) {
  to.resize(from.size() / 2 * 4);
  for (flatbuffers::uoffset_t i = 0; i + 1 < from.size(); i += 2) {
    const float value = float_of_half(static_cast<std::uint16_t>(from[i] | from[i + 1] << 8));
    std::memcpy(to.data() + 2 * i, &value, sizeof value);
  }
}

/// Number of elements, -1 where the shape is none or has more than the file could hold.
std::int64_t elements_of(const std::vector<std::int64_t>& shape) {
  std::int64_t n = 1;
  for (const auto d : shape) {
    if (d < 0 || (d > 0 && n > 2 * max_tflite_bytes / d)) return -1;
    n *= d;
  }
  return n;
}

}  // namespace

Tensor read_tflite_tensor(TfliteReading& reading, const fb::Tensor& from, const std::string& where,
                          std::string& problem) {
  Tensor to;
  if (from.name()) to.name = from.name()->str().substr(0, max_tflite_name);
  const std::string named = fmt::format("{} ('{}')", where, to.name);
  if (!reading.spend(to.name.size() + sizeof(Tensor))) return to;
  if (length(from.shape()) > max_tflite_rank) {
    reading.fail(
        fmt::format("{}: {} dimensions, at most {} are supported", named, length(from.shape()), max_tflite_rank));
    return to;
  }
  if (from.shape()) to.shape.assign(from.shape()->begin(), from.shape()->end());
  read_quantization(reading, from.quantization(), to);
  const auto* data = data_of(reading, from, named);
  if (reading.failed) return to;
  if (from.is_variable()) to.kind = TensorKind::variable;
  if (data) to.kind = TensorKind::constant;
  const bool packed = from.type() == fb::TensorType::INT4 && data;
  const bool halves = from.type() == fb::TensorType::FLOAT16 && data;
  const auto type = packed ? DataType::int8 : halves ? DataType::float32 : type_of(from.type());
  if (!type) {
    problem = fmt::format("'{}': type {} is not supported", to.name, tensor_type_name(static_cast<int>(from.type())));
  } else if (from.sparsity()) {
    problem = fmt::format("'{}': sparse tensors are not supported", to.name);
  } else if (from.is_variable() && data) {
    problem = fmt::format("'{}': a variable that has data is not supported", to.name);
  }
  to.type = type.value_or(DataType::boolean);
  if (!problem.empty()) {
    // Nothing computes with it; the place holder has the right shape.
    if (data) to.fill = Fill{}, to.opaque = true;
    return to;
  }
  if (!data || !reading.spend(packed || halves ? 2 * data->size() : data->size())) return to;
  if (halves)
    widen_halves(*data, to.data);
  else if (packed)
    unpack_int4(*data, to.data, elements_of(to.shape));
  else
    to.data.assign(data->begin(), data->end());
  return to;
}

}  // namespace dse::nn
