#include "models/nn/tensor.h"

#include <limits>

namespace dse::nn {

std::int64_t size_of(DataType t) {
  switch (t) {
    case DataType::int8:
    case DataType::uint8:
    case DataType::boolean:
      return 1;
    case DataType::int16:
      return 2;
    case DataType::int32:
    case DataType::float32:
      return 4;
    case DataType::int64:
      return 8;
  }
  return 1;
}

const char* name_of(DataType t) {
  switch (t) {
    case DataType::int8:
      return "INT8";
    case DataType::uint8:
      return "UINT8";
    case DataType::boolean:
      return "BOOL";
    case DataType::int16:
      return "INT16";
    case DataType::int32:
      return "INT32";
    case DataType::float32:
      return "FLOAT32";
    case DataType::int64:
      return "INT64";
  }
  return "?";
}

std::int64_t Tensor::elements() const {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 16;  // so that bytes() can be counted
  std::int64_t n = 1;
  for (const auto d : shape)
    if (__builtin_mul_overflow(n, d, &n) || n > kMost || n < -kMost) return kMost;
  return n;
}

Tensor::Image Tensor::image() const {
  Image i{1, 1, 1};
  const std::size_t rank = shape.size();
  if (rank >= 1) i.c = shape[rank - 1];
  if (rank == 2) i.h = shape[0];  // [N, K]: N rows of one column
  if (rank >= 3) {
    i.w = shape[rank - 2];
    for (std::size_t d = 0; d + 2 < rank; ++d) i.h *= shape[d];
  }
  return i;
}

bool same_scales(const Tensor& a, const Tensor& b) {
  return a.quantization.scale == b.quantization.scale && a.quantization.zero_point == b.quantization.zero_point;
}

bool same_values(const Tensor& a, const Tensor& b) { return a.type == b.type && same_scales(a, b); }

}  // namespace dse::nn
