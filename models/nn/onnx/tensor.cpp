// Element types and constants of ONNX files.
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <iterator>

#include "models/nn/graph/derivation.h"
#include "models/nn/onnx/reader.h"
#include "models/nn/schema/half.h"

namespace dse::nn::onnx_import {

static_assert(std::endian::native == std::endian::little, "raw data of files and tensors is little endian");

std::optional<DataType> element_type(int onnx_type) {
  switch (onnx_type) {
    case onnx::TensorProto::FLOAT:
    case onnx::TensorProto::FLOAT16:  // every half is a float; the network is computed in float32
      return DataType::float32;
    case onnx::TensorProto::UINT8:
      return DataType::uint8;
    case onnx::TensorProto::INT8:
      return DataType::int8;
    case onnx::TensorProto::INT16:
      return DataType::int16;
    case onnx::TensorProto::INT32:
      return DataType::int32;
    case onnx::TensorProto::INT64:
      return DataType::int64;
    case onnx::TensorProto::BOOL:
      return DataType::boolean;
    default:
      return std::nullopt;
  }
}

std::string element_type_name(int onnx_type) {
  static constexpr const char* names[] = {"UNDEFINED", "FLOAT",  "UINT8", "INT8",    "UINT16", "INT16",  "INT32",
                                          "INT64",     "STRING", "BOOL",  "FLOAT16", "DOUBLE", "UINT32", "UINT64"};
  if (onnx_type >= 0 && onnx_type < static_cast<int>(std::size(names))) return names[onnx_type];
  return fmt::format("{}", onnx_type);
}

namespace {

/// Halves in raw bytes or one per number, as floats.
void read_halves(const onnx::TensorProto& from, Tensor& to) {
  const bool raw = from.has_raw_data();
  const std::size_t count = raw ? from.raw_data().size() / 2 : static_cast<std::size_t>(from.int32_data_size());
  to.data.resize(4 * count);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t half = 0;
    if (raw)
      std::memcpy(&half, from.raw_data().data() + 2 * i, 2);
    else
      half = static_cast<std::uint16_t>(from.int32_data(static_cast<int>(i)));
    const float value = float_of_half(half);
    std::memcpy(to.data.data() + 4 * i, &value, 4);
  }
}

template <class To, class From>
void convert(const From& from, std::vector<std::uint8_t>& to) {
  to.resize(static_cast<std::size_t>(from.size()) * sizeof(To));
  std::size_t at = 0;
  for (const auto v : from) {
    const To value = static_cast<To>(v);
    std::memcpy(to.data() + at, &value, sizeof value);
    at += sizeof value;
  }
}

/// The typed field that belongs to the element type.
void read_typed(const onnx::TensorProto& from, Tensor& to) {
  switch (to.type) {
    case DataType::float32:
      return convert<float>(from.float_data(), to.data);
    case DataType::int64:
      return convert<std::int64_t>(from.int64_data(), to.data);
    case DataType::int32:
      return convert<std::int32_t>(from.int32_data(), to.data);
    case DataType::int16:
      return convert<std::int16_t>(from.int32_data(), to.data);
    case DataType::int8:
      return convert<std::int8_t>(from.int32_data(), to.data);
    case DataType::uint8:
    case DataType::boolean:
      return convert<std::uint8_t>(from.int32_data(), to.data);
  }
}

}  // namespace

bool read_tensor(const onnx::TensorProto& from, Tensor& to, std::string& why) {
  const auto fail = [&](std::string what) {
    why = std::move(what);
    return false;
  };
  const auto type = element_type(from.data_type());
  if (!type) return fail(fmt::format("type {} is not supported", element_type_name(from.data_type())));
  if (from.data_location() != 0) return fail("its data lies outside the file, which is not supported");
  if (from.dims_size() > 8) return fail(fmt::format("{} dimensions, at most 8 are supported", from.dims_size()));
  to.type = *type;
  to.kind = TensorKind::constant;
  to.shape.assign(from.dims().begin(), from.dims().end());
  std::int64_t elements = 1;
  for (const auto d : to.shape) {
    if (d < 0) return fail(fmt::format("shape {} has a negative extent", text_of(to.shape)));
    if (d > 0 && elements > max_constant_elements / d)
      return fail(fmt::format("shape {} has more than {} M elements", text_of(to.shape), max_constant_elements >> 20));
    elements *= d;
  }
  const bool halves = from.data_type() == onnx::TensorProto::FLOAT16;
  const std::int64_t needed = elements * (halves ? 2 : size_of(to.type));
  if (from.has_raw_data()) {
    if (static_cast<std::int64_t>(from.raw_data().size()) != needed)
      return fail(fmt::format("{} bytes of raw data, shape {} of {} needs {}", from.raw_data().size(),
                              text_of(to.shape), halves ? "FLOAT16" : name_of(to.type), needed));
    if (halves) return read_halves(from, to), true;
    to.data.assign(from.raw_data().begin(), from.raw_data().end());
    return true;
  }
  halves ? read_halves(from, to) : read_typed(from, to);
  if (static_cast<std::int64_t>(to.data.size()) != elements * size_of(to.type))
    return fail(fmt::format("{} elements, shape {} needs {}",
                            to.data.size() / static_cast<std::size_t>(size_of(to.type)), text_of(to.shape), elements));
  return true;
}

}  // namespace dse::nn::onnx_import
